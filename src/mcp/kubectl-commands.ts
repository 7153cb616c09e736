import type { JsonObject } from '../api/objects/meta.ts'
import { encodeJson } from '../base/exact-json.ts'
import type { WrittenStep } from './fork.ts'

/** The kubectl commands of a change. A failure of a node has no command. */
export function kubectlCommand({ at: _, ...step }: WrittenStep): string {
  const [[kind = '', content] = []] = Object.entries(step)
  const value = content as JsonObject
  switch (kind) {
    case 'cordon':
    case 'uncordon':
      return `kubectl ${kind} ${nodeWords(value)}`
    case 'drain':
      return `kubectl drain ${nodeWords(value)} --ignore-daemonsets --delete-emptydir-data${value['force'] === true ? ' --force' : ''}`
    case 'taint':
      return `kubectl taint nodes ${nodeWords(value)} ${word(value['taint'])} --overwrite`
    case 'untaint':
      return `kubectl taint nodes ${nodeWords(value)} ${word(`${String(value['taint'])}-`)}`
    case 'scale':
      return `kubectl scale ${targetWords(value['target'])} --replicas=${String(value['replicas'])}`
    case 'patch':
      return `kubectl patch ${targetWords(value['target'])} --type=${String(value['type'] ?? 'strategic')} -p ${word(encodeJson(value['patch']))}`
    case 'delete': {
      const { targets = [], gracePeriodSeconds } = value as { targets?: readonly string[]; gracePeriodSeconds?: number }
      const grace = gracePeriodSeconds === undefined ? '' : ` --grace-period=${gracePeriodSeconds}`
      return targets.map((target) => `kubectl delete ${targetWords(target)}${grace}`).join('\n')
    }
    case 'apply':
      return 'kubectl apply --server-side --force-conflicts -f manifests.yaml'
    default:
      return `# ${kind} ${nodeWords(value)}`
  }
}

function nodeWords({ node, nodes, selector, zone }: JsonObject): string {
  if (Array.isArray(nodes)) return nodes.map(word).join(' ')
  if (node !== undefined) return word(node)
  return `-l ${word(zone === undefined ? selector : `topology.kubernetes.io/zone=${String(zone)}`)}`
}

/** `KIND/NAMESPACE/NAME` or `KIND/NAME`. */
function targetWords(target: unknown): string {
  const [kind = '', first = '', second] = String(target).split('/')
  return second === undefined ? word(`${kind}/${first}`) : `-n ${word(first)} ${word(`${kind}/${second}`)}`
}

/** One word of a shell. */
function word(value: unknown): string {
  const text = String(value)
  return /^[A-Za-z0-9_./:=@,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
