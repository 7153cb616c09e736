import type { Call, Outcome } from '../../../src/api/call.ts'
import { parseGoDurationMs } from '../../../src/api/go-duration.ts'
import { must } from '../../../src/base/result.ts'
import type { CloudRequest } from '../../../src/controllers/node-ipam/cloud-request.ts'
import { clusterCidrs } from '../../../src/controllers/node-ipam/cluster-range.ts'
import { IpamCluster, type Mishap } from '../../../src/controllers/node-ipam/ipam-cluster.fixture.ts'
import type { Answer, Ask } from '../../../src/runtime/controller.ts'
import type { StoryFile } from '../story-file.ts'

/**
 * Runs a story line by line, and reports what the controller did. `compare` runs it twice, with upstream and with
 * improved behavior.
 */
export function tell(story: StoryFile): string {
  const isCompared = story.compare !== undefined
  const behaviors = isCompared ? (['upstream', 'improved'] as const) : (['upstream'] as const)
  return behaviors
    .map((behavior) => `${isCompared ? `== ${behavior}\n` : ''}${new Teller(story, behavior === 'improved').tell()}`)
    .join('\n')
}

class Teller {
  private readonly story: StoryFile
  private readonly said: string[] = []
  private readonly aliases = new Map<string, readonly string[]>()
  private readonly cluster: IpamCluster
  private mishap: { readonly how: Mishap; left: number } | undefined
  private cloudFailures = 0
  private readonly began: number
  /** Events by name, and how often each was recorded. */
  private readonly heard = new Map<string, number>()

  constructor(story: StoryFile, improved: boolean) {
    this.story = story
    this.cluster = new IpamCluster({
      flags: story.settings,
      improved,
      mishap: () => (this.mishap !== undefined && this.mishap.left-- > 0 ? this.mishap.how : undefined),
      answer: (ask) => this.answer(ask),
    })
    this.began = this.cluster.driver.now()
  }

  tell(): string {
    for (const words of this.story.lines) {
      this.said.push(`> ${words.join(' ')}`)
      try {
        this.carryOut(words)
        if (words[0] !== 'wait') this.cluster.settle()
      } catch (error) {
        this.said.push(`  ${error instanceof Error ? error.message : String(error)}`)
        break
      }
      this.report()
    }
    return `${this.said.join('\n')}\n`
  }

  private carryOut(words: readonly string[]): void {
    const [verb = '', name = ''] = words
    const rest = words.slice(2)
    const value = (word: string) => rest[rest.indexOf(word) + 1] as string
    const list = (word: string) => (rest.includes(word) ? value(word).split(',') : [])
    switch (verb) {
      case 'node': {
        const labels = Object.fromEntries(list('with').map((pair) => pair.split('=') as [string, string]))
        const providerID = rest.includes('on') ? { providerID: value('on') } : {}
        this.cluster.addNode(name, { cidrs: list('has'), labels, ...providerID })
        break
      }
      case 'delete':
        this.delete(name)
        break
      case 'range':
        this.addRange(name, rest, list('for'))
        break
      case 'instance':
        this.aliases.set(name, rest)
        break
      case 'fail':
        this.mishap = { how: rest.join(' ') as Mishap, left: Number(name) }
        break
      case 'cloud':
        this.cloudFailures = Number(rest[0])
        break
      case 'wait':
        this.cluster.advance(must(parseGoDurationMs(name)))
        break
      case 'restart':
        this.cluster.restart(name === '' ? {} : { flags: { ...this.story.settings, [name]: rest[0] } })
        break
      case 'show':
        this.show()
        break
      default:
        throw new Error(`unknown story verb: ${verb}`)
    }
  }

  private addRange(name: string, cidrs: readonly string[], labels: readonly string[]): void {
    const [ipv4, ipv6] = [cidrs[0], cidrs[1]].map((text) => (text?.includes('/') === true ? text : undefined))
    const matchExpressions = labels.map((pair) => {
      const [key, one] = pair.split('=')
      return { key, operator: 'In', values: [one] }
    })
    const spec = {
      perNodeHostBits: 8,
      ...(ipv4 === undefined ? {} : { ipv4 }),
      ...(ipv6 === undefined ? {} : { ipv6 }),
      ...(labels.length === 0 ? {} : { nodeSelector: { nodeSelectorTerms: [{ matchExpressions }] } }),
    }
    const object = { apiVersion: 'networking.x-k8s.io/v1', kind: 'ClusterCIDR', metadata: { name }, spec }
    this.cluster.must({ verb: 'create', resource: clusterCidrs, object })
  }

  private delete(name: string): void {
    const isRange = this.cluster.list(clusterCidrs).some(({ metadata }) => metadata.name === name)
    if (isRange) this.cluster.must({ verb: 'delete', resource: clusterCidrs, name })
    else this.cluster.deleteNode(name)
  }

  private answer(ask: Ask): Answer['outcome'] | undefined {
    if (ask.request.kind !== 'cloud') return undefined
    const request = ask.request.request as CloudRequest
    const said = request.kind === 'add-alias' ? `add alias ${request.cidr} to` : 'aliases of'
    const outcome = this.cloudAnswer(request)
    const shown = outcome.kind === 'ok' ? String(outcome.value ?? 'done') || 'none' : outcome.kind
    this.say(`cloud: ${said} ${request.providerId} → ${shown}`)
    return outcome
  }

  private cloudAnswer(request: CloudRequest): Answer['outcome'] {
    if (this.cloudFailures-- > 0) return { kind: 'failed', message: 'rateLimitExceeded' }
    const ranges = this.aliases.get(request.providerId)
    if (ranges === undefined) return { kind: 'failed', message: 'not found' }
    if (request.kind === 'alias-ranges') return { kind: 'ok', value: ranges }
    this.aliases.set(request.providerId, [request.cidr])
    return { kind: 'ok', value: undefined }
  }

  /** The writes and events of the controller since the last line. */
  private report(): void {
    for (const { at, call, outcome } of this.cluster.calls.splice(0)) this.say(callText(call, outcome), at)
    for (const { metadata, reason, message, involvedObject, count = 1 } of this.cluster.list('events')) {
      const before = this.heard.get(metadata.name) ?? 0
      if (count > before) {
        const times = count - before > 1 ? ` (${count - before} times)` : ''
        this.say(`event on ${involvedObject.name}${times}: ${reason}: ${message}`)
      }
      this.heard.set(metadata.name, count)
    }
  }

  private show(): void {
    const { ranges, leaked, outOfRange, waiting } = this.cluster.inspect()
    for (const [node, block] of Object.entries(this.cluster.blocks())) this.say(`${node} has ${block || 'nothing'}`)
    for (const { range, name, used, max, terminating } of ranges) {
      this.say(`${name === undefined ? '' : `${name} `}${range}: ${used} of ${max} used${terminating ? ', going' : ''}`)
    }
    if (leaked.length > 0) this.say(`leaked: ${leaked.join(', ')}`)
    if (outOfRange.length > 0) this.say(`out of range: ${outOfRange.map(({ node }) => node).join(', ')}`)
    if (waiting.length > 0) this.say(`waiting: ${waiting.join(', ')}`)
  }

  private say(text: string, at = this.cluster.driver.now()): void {
    this.said.push(`  ${Math.round(at - this.began) / 1000}s ${text}`)
  }
}

function callText(call: Call, outcome: Outcome): string {
  const name =
    'name' in call && call.name !== undefined ? call.name : call.verb === 'create' ? call.object.metadata.name : ''
  const what = call.resource === clusterCidrs ? 'range' : 'node'
  const came = outcome.ok ? 'ok' : (outcome.status.reason ?? 'failed')
  return `${call.verb} ${what} ${name}${detail(call)} → ${came}`
}

function detail(call: Call): string {
  if (call.verb === 'update') return ` finalizers ${call.object.metadata.finalizers?.length ?? 0}`
  if (call.verb !== 'patch' || call.patch.kind !== 'strategic') return ''
  const { spec, status } = call.patch.patch as {
    readonly spec?: { readonly podCIDR?: string; readonly podCIDRs?: readonly string[] }
    readonly status?: object
  }
  return status === undefined ? ` ${(spec?.podCIDRs ?? [spec?.podCIDR]).join(' ')}` : ' NetworkUnavailable=False'
}
