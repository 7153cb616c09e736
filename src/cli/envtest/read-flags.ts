import { wrongQuestion } from '../command.ts'

/** Flags as Go components read them: `--name=value`, `--name value` and `--name`, with one hyphen or two. */
export interface GivenFlags {
  /** The last value of a flag. */
  readonly last: (name: string) => string | undefined
  /** All values of a flag, including those separated by commas. */
  readonly all: (name: string) => readonly string[]
}

/** Rejects unknown flags. Accepts all flags of upstream, including those without an effect in berth. */
export function readFlags(
  program: string,
  args: readonly string[],
  known: { readonly valued: ReadonlySet<string>; readonly switches: ReadonlySet<string> },
): GivenFlags {
  const values = new Map<string, string[]>()
  for (let i = 0; i < args.length; i++) {
    const given = args[i] as string
    const match = /^--?([A-Za-z0-9][A-Za-z0-9._-]*)(?:=([\s\S]*))?$/.exec(given)
    if (match === null) throw wrongQuestion(`${program}: unknown command ${JSON.stringify(given)}`)
    const name = (match[1] as string).replaceAll('_', '-')
    const isSwitch = known.switches.has(name)
    if (!isSwitch && !known.valued.has(name)) throw wrongQuestion(`${program}: unknown flag: --${name}`)
    let value = match[2]
    if (value === undefined && isSwitch) value = 'true'
    if (value === undefined) {
      value = args[++i]
      if (value === undefined) throw wrongQuestion(`${program}: flag needs an argument: --${name}`)
    }
    values.set(name, [...(values.get(name) ?? []), value])
  }
  return {
    last: (name) => values.get(name)?.at(-1),
    all: (name) => (values.get(name) ?? []).flatMap((value) => value.split(',')).filter((value) => value !== ''),
  }
}

/** The help of a program, in which envtest and other tools look up flags. */
export function flagHelp(program: string, about: string, flags: Iterable<string>): string {
  const lines = [...flags].sort().map((name) => `      --${name}`)
  return [about, '', 'Usage:', `  ${program} [flags]`, '', 'Flags:', ...lines, ''].join('\n')
}
