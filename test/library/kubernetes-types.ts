// Writes the types in src/library/kubernetes-types from the tables of the releases.
import type { KubernetesRelease } from '../../src/api/releases/kubernetes-release.ts'
import { knownMinors, releaseOf } from '../../src/api/releases/release-of.ts'
import type { Field, Shape, StructShape } from '../../src/api/schema/shape.ts'
import { must } from '../../src/base/result.ts'
import { builtinKindsOf } from '../../src/registry/kinds/kinds.ts'

interface ServedKind {
  readonly resource: string
  readonly shape: StructShape
  readonly release: KubernetesRelease
}

interface StructEntry {
  readonly shape: StructShape
  readonly release: KubernetesRelease
}

const written = '// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.'
const maxLines = 480

/**
 * The files of src/library/kubernetes-types by name: an interface for each type, by API group, and a table of all kinds
 * that any release serves.
 */
export function kubernetesTypes(): ReadonlyMap<string, string> {
  const kinds = servedKinds()
  const structs = new Map<string, StructEntry>()
  for (const { shape, release } of kinds) collect(shape, release, structs)
  const names = namesOf(structs)
  const roots = new Set(kinds.map(({ shape }) => shape.id))
  const sorted = [...structs.values()].sort((a, b) => compare(nameIn(names, a.shape), nameIn(names, b.shape)))
  const groups = new Map<string, TypeText[]>()
  for (const { shape, release } of sorted) {
    const group = packageOf(shape, release).id.split('/')[0]?.split('.')[0] ?? ''
    const type = { name: nameIn(names, shape), lines: interfaceOf(shape, names, roots.has(shape.id)) }
    groups.set(group, [...(groups.get(group) ?? []), type])
  }
  const parts = [...groups].flatMap(([group, types]) => partsOf(group, types)).sort((a, b) => compare(a.file, b.file))
  const homes = new Map(parts.flatMap(({ file, types }) => types.map(({ name }) => [name, file] as const)))
  const table = [
    '/** The objects of every built-in resource. A resource is named `plural` in the core group and `plural.group` elsewhere. */',
    'export interface ServedTypes {',
    ...kinds.map(({ resource, shape }) => `  ${memberName(resource)}: ${nameIn(names, shape)}`),
    '}',
    '',
  ]
  return new Map([
    ...parts.map(
      ({ file, types }) =>
        [
          file,
          fileOf(
            file,
            types.flatMap(({ lines }) => lines),
            homes,
          ),
        ] as const,
    ),
    ['served-types.ts', fileOf('served-types.ts', table, homes)],
    [
      'index.ts',
      [
        written,
        `// Every type of the kinds that Kubernetes ${knownMinors[0]} to ${knownMinors.at(-1)} serve, each as in the newest release that has it.`,
        '',
        ...[...parts.map(({ file }) => file), 'served-types.ts'].map((file) => `export type * from './${file}'`),
        '',
      ].join('\n'),
    ],
  ])
}

interface TypeText {
  readonly name: string
  readonly lines: readonly string[]
}

/** The types of a group in files below the limit of lines; the files of a large group are named after their first types. */
function partsOf(group: string, types: readonly TypeText[]): readonly { file: string; types: readonly TypeText[] }[] {
  const parts: TypeText[][] = [[]]
  let lines = 0
  for (const type of types) {
    if (lines + type.lines.length > maxLines) {
      parts.push([])
      lines = 0
    }
    parts.at(-1)?.push(type)
    lines += type.lines.length
  }
  return parts.map((part) => ({
    file: parts.length === 1 ? `${group}.ts` : `${group}-from-${kebab(part[0]?.name ?? '')}.ts`,
    types: part,
  }))
}

function fileOf(file: string, lines: readonly string[], homes: ReadonlyMap<string, string>): string {
  const imports = new Map<string, Set<string>>()
  for (const [name] of lines.join('\n').matchAll(/\b[A-Z]\w+/g)) {
    const home = homes.get(name)
    if (home !== undefined && home !== file) imports.set(home, (imports.get(home) ?? new Set()).add(name))
  }
  const importLines = [...imports]
    .sort(([a], [b]) => compare(a, b))
    .map(([home, imported]) => `import type { ${[...imported].sort().join(', ')} } from './${home}'`)
  return [written, '', ...importLines, ...(importLines.length === 0 ? [] : ['']), ...lines].join('\n')
}

function servedKinds(): readonly ServedKind[] {
  const byResource = new Map<string, ServedKind>()
  for (const minor of knownMinors) {
    const release = must(releaseOf(minor))
    for (const { resource, shape, ephemeral } of builtinKindsOf(release)) {
      if (shape !== undefined && ephemeral !== true) byResource.set(resource, { resource, shape, release })
    }
  }
  return [...byResource.values()].sort((a, b) => compare(a.resource, b.resource))
}

function collect(shape: Shape, release: KubernetesRelease, into: Map<string, StructEntry>): void {
  if (shape.is === 'list' || shape.is === 'map' || shape.is === 'loose') collect(shape.of, release, into)
  if (shape.is !== 'struct') return
  const known = into.get(shape.id)
  if (known !== undefined && knownMinors.indexOf(known.release.minor) >= knownMinors.indexOf(release.minor)) return
  into.set(shape.id, { shape, release })
  for (const { shape: inner } of shape.fields.values()) collect(inner, release, into)
}

/** As the JavaScript client names them: `V1Pod`, and with the group where two groups have the same name. */
function namesOf(structs: ReadonlyMap<string, StructEntry>): ReadonlyMap<string, string> {
  const short = new Map<string, string[]>()
  const versioned = ({ shape, release }: StructEntry) =>
    `${pascal(packageOf(shape, release).version)}${pascal(shape.name)}`
  for (const [id, entry] of structs) short.set(versioned(entry), [...(short.get(versioned(entry)) ?? []), id])
  return new Map(
    [...structs].map(([id, entry]) => {
      const name = versioned(entry)
      if (short.get(name)?.length === 1) return [id, name]
      return [id, `${pascal(packageOf(entry.shape, entry.release).id.split('/')[0] ?? '')}${name}`]
    }),
  )
}

function packageOf(shape: StructShape, { api }: KubernetesRelease): { readonly id: string; readonly version: string } {
  const found = api.types.packages.get(shape.id.slice(0, shape.id.lastIndexOf('.')))
  if (found === undefined) throw new Error(`${shape.id} is in no package`)
  return found
}

function nameIn(names: ReadonlyMap<string, string>, { id }: StructShape): string {
  return names.get(id) as string
}

function interfaceOf(shape: StructShape, names: ReadonlyMap<string, string>, isKind: boolean): readonly string[] {
  const fields = [...shape.fields.values()].map((field) => {
    const mark = isRequired(field, shape, isKind) ? '' : '?'
    return `  readonly ${memberName(field.name)}${mark}: ${typeOf(field.shape, names)}`
  })
  return [`export interface ${nameIn(names, shape)} {`, ...fields, '}', '']
}

/** Objects of a cluster always have metadata with a name, and a spec if their kind has one. */
function isRequired({ name, required, pointer }: Field, { id }: StructShape, isKind: boolean): boolean {
  if (isKind && (name === 'metadata' || (name === 'spec' && !pointer))) return true
  return required || (id === 'meta.ObjectMeta' && name === 'name')
}

function typeOf(shape: Shape, names: ReadonlyMap<string, string>): string {
  switch (shape.is) {
    case 'struct':
      return nameIn(names, shape)
    case 'list':
      return /[|\s]/.test(typeOf(shape.of, names))
        ? `readonly (${typeOf(shape.of, names)})[]`
        : `readonly ${typeOf(shape.of, names)}[]`
    case 'map':
      return `{ readonly [key: string]: ${typeOf(shape.of, names)} }`
    case 'loose':
      return {
        array: `${nameIn(names, shape.of)} | readonly ${nameIn(names, shape.of)}[]`,
        bool: `${nameIn(names, shape.of)} | boolean`,
        strings: `${nameIn(names, shape.of)} | readonly string[]`,
      }[shape.form]
    case 'scalar':
      return shape.values === undefined ? scalars[shape.kind] : shape.values.map((value) => `'${value}'`).join(' | ')
  }
}

const scalars = {
  string: 'string',
  int32: 'number',
  int64: 'number',
  bool: 'boolean',
  float64: 'number',
  quantity: 'string',
  time: 'string',
  'micro-time': 'string',
  'int-or-string': 'number | string',
  bytes: 'string',
  duration: 'string',
  json: 'unknown',
} as const

const memberName = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`)
const kebab = (name: string) => name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase()
const pascal = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
