// Writes docs/reference/library.md from the declarations in src/library and src/matchers, and from the examples.
import { read } from '../tidy/project.ts'
import { libraryExamples } from './library-examples.ts'

interface Section {
  readonly title: string
  readonly text: string
  readonly parts: readonly { readonly file: string; readonly names: readonly string[] }[]
  readonly examples?: readonly string[]
}

const sections: readonly Section[] = [
  {
    title: 'createCluster',
    text: '`createCluster(options?: ClusterOptions): Promise<Cluster>` creates a cluster in virtual time. An unknown option is an error (`ClusterOptionError`), and so is a resource name that the cluster does not serve (`UnknownResourceError`). A rejected call throws a `ClusterError` with the `code` and `reason` of the API.',
    parts: [
      { file: 'cluster-options', names: ['ClusterOptions'] },
      { file: '../controlplane/hollow-nodes', names: ['NodeShape'] },
    ],
    examples: ['A cluster inside a test', 'Scheduler configuration and an autoscaler'],
  },
  {
    title: 'Cluster',
    text: 'What `createCluster` and `fork` return.',
    parts: [
      { file: 'cluster', names: ['Cluster', 'PodFilter', 'DrainSettings', 'ServeSettings', 'ServedCluster'] },
      { file: 'object-watch', names: ['WatchOptions'] },
    ],
    examples: ['Two answers from one state', 'A watch', 'Serve it'],
  },
  {
    title: 'Your controllers and plugins',
    text: '`defineController` takes a controller with the contract of the built-in ones, `defineReconciler` an asynchronous function. Both run under the virtual clock: time does not move while one of them has something to do. `definePlugin` is described in [Write a plugin](../how-to/write-a-plugin.md).',
    parts: [
      {
        file: 'controller-definition',
        names: ['ReconcilerSource', 'ReconcileRequest', 'ReconcileResult', 'ReconcileContext'],
      },
      { file: 'reconciler-runner', names: ['ReconcileFailure'] },
      { file: 'controller-definition', names: ['ControllerSource'] },
      { file: '../runtime/controller', names: ['StepInput', 'StepOutput'] },
    ],
    examples: ['Your reconciler', 'Your controller', 'Your scheduler plugin'],
  },
  {
    title: 'The JavaScript client',
    text: '`cluster.client`, `cluster.makeApiClient`, `cluster.makeInformer` and `cluster.watcher` have the interfaces of `@kubernetes/client-node`, in virtual time. For code that needs the class itself, `cluster.makeApiClient(KubernetesObjectApi)` creates it; its errors are those of the client (`ApiException`).',
    parts: [
      { file: 'object-client', names: ['ObjectClient'] },
      { file: 'informer', names: ['Informer', 'ClientWatch'] },
    ],
    examples: ['The JavaScript client and its informers'],
  },
  {
    title: 'Matchers',
    text: "`import 'kubeberth/vitest'` and `import 'kubeberth/jest'` add these to `expect`. `kubeberth/matchers` has `clusterMatchers` for `expect.extend`, and `assertNoPending`, `assertReady`, `assertObject`, `assertCondition`, `assertEvent` and `assertNoFailures` for node:test.",
    parts: [{ file: '../matchers/matchers', names: ['ClusterMatchers'] }],
    examples: ['Assertions'],
  },
]

export function libraryReference(): string {
  return [
    '# Library',
    '',
    'The package `kubeberth`. This page is generated from its types by `npx vitest run test/library/library-reference.test.ts -u`; the examples are run by the',
    'same test.',
    '',
    ...sections.flatMap((section) => [
      `## ${section.title}`,
      '',
      section.text,
      '',
      ...section.parts.flatMap(({ file, names }) => names.flatMap((name) => interfaceLines(file, name))),
      ...(section.examples ?? []).flatMap(exampleLines),
    ]),
    '## Types of objects',
    '',
    'Every served kind has a type, named as in the JavaScript client: `V1Deployment`, `V1NetworkPolicy`. `cluster.get` and `cluster.list` return them for',
    'plurals (`deployments`) and full names (`deployments.apps`); timestamps are strings.',
    '',
  ].join('\n')
}

function exampleLines(title: string): readonly string[] {
  const example = libraryExamples.find((each) => each.title === title)
  if (example === undefined) throw new Error(`there is no example ${title}`)
  return [`### Example: ${title}`, '', '```js', example.code.trim(), '```', '']
}

interface Member {
  readonly signature: string
  readonly description: string
}

function interfaceLines(file: string, name: string): readonly string[] {
  const { description, members } = interfaceOf(read(`src/library/${file}.ts`.replace('library/../', '')), name)
  return [
    `### ${name}`,
    '',
    ...(description === '' ? [] : [description, '']),
    '```ts',
    ...members.flatMap((member) => [
      ...(member.description === '' ? [] : [`// ${member.description}`]),
      member.signature,
    ]),
    '```',
    '',
  ]
}

function interfaceOf(
  text: string,
  name: string,
): { readonly description: string; readonly members: readonly Member[] } {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => new RegExp(`^export interface ${name}\\b`).test(line))
  if (start < 0) throw new Error(`there is no interface ${name}`)
  const end = lines.indexOf('}', start)
  const members: Member[] = []
  let comment: string[] = []
  let signature: string[] = []
  for (const line of lines.slice(start + 1, end)) {
    if (signature.length === 0 && /^\s*(\/\*\*|\*)/.test(line)) {
      comment.push(line)
      continue
    }
    signature.push(line.trim())
    const written = signature.join(' ')
    if (depthOf(written) > 0 || /[(,|]$/.test(written)) continue
    members.push({ signature: plain(written), description: commentText(comment) })
    comment = []
    signature = []
  }
  return { description: commentText(commentBefore(lines, start)), members }
}

const plain = (signature: string) =>
  signature
    .replaceAll('readonly ', '')
    .replaceAll('( ', '(')
    .replaceAll(', )', ')')
    .replaceAll(' )', ')')
    .replaceAll(',)', ')')

function depthOf(text: string): number {
  return [...text.replaceAll('=>', '')].reduce(
    (depth, char) => depth + ('({[<'.includes(char) ? 1 : ')}]>'.includes(char) ? -1 : 0),
    0,
  )
}

function commentBefore(lines: readonly string[], at: number): readonly string[] {
  let from = at
  while (/^\s*(\/\*\*|\*)/.test(lines[from - 1] ?? '')) from--
  return lines.slice(from, at)
}

function commentText(lines: readonly string[]): string {
  return lines
    .map((line) => line.replace(/^\s*\/?\*+\/?\s?/, '').replace(/\s*\*\/$/, ''))
    .join(' ')
    .trim()
}
