import { expect, test } from 'vitest'
import { filesUnder, read, sourcesUnder } from './project.ts'

/** Files whose names mark them as code for tests. */
const stage = /\.(test|fixture)\.tsx?$|(contract-suite|faulty-client|manual-time)\.ts$/

const production = [...sourcesUnder('src'), ...sourcesUnder('web')].filter(({ path }) => !stage.test(path))

const users = new Map<string, Set<string>>()
const note = (path: string, text: string) => {
  for (const [name] of text.matchAll(/[A-Za-z_$][\w$]*/g)) {
    const found = users.get(name)
    if (found === undefined) users.set(name, new Set([path]))
    else found.add(path)
  }
}
for (const { path, text } of production) note(path, text)
for (const folder of ['bench', 'scripts']) {
  for (const path of filesUnder(folder, /\.(ts|mjs)$/)) note(path, read(path))
}

for (const path of filesUnder('bin', /berth|kube-apiserver|etcd$/)) note(path, read(path))

/** Published as a file for editors; a test compares the two. */
const published = new Set(['src/index.ts', 'src/matchers/matchers.ts', 'src/whatif/scenario/scenario-schema.ts'])

const declaration = /^export (?:async )?(?:function\*?|const|class) ([A-Za-z_$][\w$]*)/gm

test('every exported value is used by code other than tests', () => {
  const unused = production
    .filter(({ path }) => !published.has(path))
    .flatMap(({ path, code }) =>
      [...code.matchAll(declaration)]
        .map(([, name]) => name as string)
        .filter(
          (name) =>
            users.get(name)?.size === 1 && code.split(new RegExp(`\\b${name.replaceAll('$', '\\$')}\\b`)).length === 2,
        )
        .map((name) => `${path}: ${name}`),
    )
  expect(unused).toEqual([])
})
