// Reads documentation pages for tests: files to create, commands to run, and their documented output.

export interface RunBlock {
  readonly script: string
  readonly exitCode: number
  /** Lines of the output that the page shows. */
  readonly promised: readonly string[]
  readonly line: number
}

export interface Page {
  /** Blocks with `file=NAME`. */
  readonly files: ReadonlyMap<string, string>
  /** Blocks with `sh run`, or `sh run N` if the exit code is N. */
  readonly runs: readonly RunBlock[]
}

const fence = /^```([^\n]*)\n([\s\S]*?)^```$/gm

/** A block `text output` after a run contains lines of its output; `…` means omitted text. */
export function readPage(markdown: string): Page {
  const files = new Map<string, string>()
  const runs: RunBlock[] = []
  for (const { 1: info = '', 2: body = '', index } of markdown.matchAll(fence)) {
    const file = /\bfile=(\S+)/.exec(info)?.[1]
    const run = /^sh run(?: (\d))?$/.exec(info)
    if (file !== undefined) files.set(file, body)
    if (run !== null) {
      const line = markdown.slice(0, index).split('\n').length
      runs.push({ script: body, exitCode: Number(run[1] ?? 0), promised: [], line })
    }
    const last = runs.pop()
    if (last === undefined) continue
    runs.push(info === 'text output' ? { ...last, promised: [...last.promised, ...promisesIn(body)] } : last)
  }
  return { files, runs }
}

function promisesIn(body: string): readonly string[] {
  return body
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== '…')
}

/** Ignores the number of spaces, because column widths vary. */
export function missingFrom(output: string, promised: readonly string[]): readonly string[] {
  const lines = output.split('\n').map(squeezed)
  return promised.filter((promise) => {
    const parts = squeezed(promise).split('…')
    return !lines.some((line) => inOrder(line, parts))
  })
}

function squeezed(line: string): string {
  return line.trim().replaceAll(/\s+/g, ' ')
}

function inOrder(line: string, parts: readonly string[]): boolean {
  let from = 0
  return parts.every((part) => {
    const at = line.indexOf(part.trim(), from)
    from = at + part.trim().length
    return at >= 0
  })
}
