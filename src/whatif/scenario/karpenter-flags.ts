/** The parts of a container that contain its flags. */
interface Container {
  readonly name?: string
  readonly image?: string
  readonly args?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
}

const image = /(^|\/)karpenter(\/controller)?[:@]/

const environment: ReadonlyMap<string, string> = new Map([
  ['BATCH_MAX_DURATION', 'batch-max-duration'],
  ['BATCH_IDLE_DURATION', 'batch-idle-duration'],
  ['PREFERENCE_POLICY', 'preference-policy'],
  ['MIN_VALUES_POLICY', 'min-values-policy'],
  ['FEATURE_GATES', 'feature-gates'],
  ['IGNORE_DRA_REQUESTS', 'ignore-dra-requests'],
])
const flagNames: ReadonlySet<string> = new Set(environment.values())

/** Reports whether the container is the controller of Karpenter. */
export function isKarpenter({ name, image: its = '', env = [] }: Container): boolean {
  return image.test(its) || (name === 'controller' && env.some((each) => each.name === 'KARPENTER_SERVICE'))
}

/** The flags that change decisions, from the environment and the arguments. */
export function karpenterFlags({ args = [], env = [] }: Container): Readonly<Record<string, string>> {
  const flags: Record<string, string> = {}
  for (const { name, value } of env) {
    const flag = environment.get(name)
    if (flag !== undefined && value !== undefined) flags[flag] = value
  }
  for (const argument of args) {
    const [name, value] = splitFlag(argument)
    if (flagNames.has(name)) flags[name] = value
  }
  return flags
}

/** Only the arguments and the environment that `isKarpenter` and `karpenterFlags` read. */
export function withoutOtherFlags({ args = [], env = [] }: Container): Pick<Container, 'args' | 'env'> {
  const keptEnv = env.flatMap(({ name, value }) =>
    name === 'KARPENTER_SERVICE' ? [{ name }] : environment.has(name) && value !== undefined ? [{ name, value }] : [],
  )
  const keptArgs = args.filter((argument) => flagNames.has(splitFlag(argument)[0]))
  return {
    ...(keptArgs.length > 0 ? { args: keptArgs } : {}),
    ...(keptEnv.length > 0 ? { env: keptEnv } : {}),
  }
}

function splitFlag(argument: string): readonly [name: string, value: string] {
  const text = argument.startsWith('--') ? argument.slice(2) : argument.startsWith('-') ? argument.slice(1) : argument
  const at = text.indexOf('=')
  return at < 0 ? [text, 'true'] : [text.slice(0, at), text.slice(at + 1)]
}
