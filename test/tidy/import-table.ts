// The table of modules in docs/architecture.md is the rule itself: it is read here, not repeated.
import { read } from './project.ts'

export interface ModuleRule {
  readonly module: string
  readonly mayImport: ReadonlySet<string>
}

export function readImportTable(
  markdown: string = read('docs/architecture.md'),
  kind: 'module' | 'folder' = 'module',
): ReadonlyMap<string, ModuleRule> {
  const rules = new Map<string, ModuleRule>()
  let header: readonly string[] | undefined
  for (const line of markdown.split('\n')) {
    const cells = line.startsWith('|')
      ? line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim())
      : undefined
    if (cells === undefined) header = undefined
    else if (header === undefined) header = cells
    else if (header[0] === kind && header.at(-1) === 'may import' && !/^[-: ]+$/.test(cells.join(''))) {
      const module = cells[0]!.replaceAll('`', '').replace(/\/$/, '')
      rules.set(module, { module, mayImport: namesIn(cells.at(-1)!, [...rules.keys()]) })
    }
  }
  return rules
}

/** `–`, a list of modules, `all above`, or `all above except X`. */
function namesIn(cell: string, above: readonly string[]): ReadonlySet<string> {
  const text = cell.replaceAll('`', '').trim()
  if (text === '–') return new Set()
  const all = /^all above(?: except (.+))?$/.exec(text)
  if (all === null) return new Set(text.split(',').map((name) => name.trim().replace(/ \(types\)$/, '')))
  const except = new Set((all[1] ?? '').split(',').map((name) => name.trim()))
  return new Set(above.filter((name) => !except.has(name)))
}

/** The module a file belongs to: its folder in `src`, `web`, or a single file in `src`. */
export function moduleOf(path: string): string {
  const [top, second] = path.split('/')
  return top === 'src' ? second! : top!
}
