/** A spec of the suite, and the line of its source file that `--focus-file` selects. */
export interface Spec {
  readonly name: string
  readonly file: string
  readonly line: number
}

/** Specs that one process of the suite runs, one after the other. */
export interface Batch {
  readonly specs: readonly Spec[]
  /** Values of `--ginkgo.focus-file`. */
  readonly focusFiles: readonly string[]
  /** Regular expressions of specs that share a line with one of the batch and are not in it. */
  readonly skip: readonly string[]
}

const listed = /^\s+\S*\/test\/e2e\/(\S+):(\d+): (.*)$/

/** Reads the output of `e2e.test --list-tests`. */
export function parseListedSpecs(output: string): readonly Spec[] {
  return output.split('\n').flatMap((row) => {
    const [, file, line, name] = listed.exec(row) ?? []
    return file === undefined || name === undefined ? [] : [{ name, file, line: Number(line) }]
  })
}

/** A list of specs: a name per line; blank lines and lines that start with # are comments. */
export function parseSpecNames(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

/** Specs that change nodes or fill the cluster, and so run alone on it. */
export function isSerial(spec: Spec): boolean {
  return spec.name.includes('[Serial]') || spec.name.includes('[Disruptive]')
}

/**
 * Divides `wanted` into batches of at most `size` specs. Specs of one line are in one batch, because `--focus-file` cannot
 * distinguish them; others of that line are skipped by name.
 */
export function planBatches(wanted: readonly Spec[], all: readonly Spec[], size: number): readonly Batch[] {
  const chosen = new Set(wanted.map(({ name }) => name))
  const groups = [...groupBy(wanted, placeOf).values()]
  const batches: Spec[][] = []
  for (const group of groups) {
    const last = batches.at(-1)
    if (last !== undefined && last.length + group.length <= size) last.push(...group)
    else batches.push([...group])
  }
  const atPlace = groupBy(all, placeOf)
  return batches.map((specs) => {
    const places = [...new Set(specs.map(placeOf))]
    const others = places.flatMap((place) => atPlace.get(place) ?? []).filter(({ name }) => !chosen.has(name))
    return { specs, focusFiles: focusFilesOf(specs), skip: others.map(({ name }) => `${escapeRegExp(name)}$`) }
  })
}

function focusFilesOf(specs: readonly Spec[]): readonly string[] {
  return [...groupBy(specs, ({ file }) => file)].map(([file, own]) => {
    const lines = [...new Set(own.map(({ line }) => line))].sort((a, b) => a - b)
    return `${escapeRegExp(`/test/e2e/${file}`)}:${lines.join(',')}`
  })
}

const placeOf = ({ file, line }: Spec): string => `${file}:${line}`

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

function groupBy<Value>(values: readonly Value[], keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>()
  for (const value of values) {
    const group = groups.get(keyOf(value))
    if (group === undefined) groups.set(keyOf(value), [value])
    else group.push(value)
  }
  return groups
}
