// The commands of the workflow in docs/how-to/ci.md, as they are on the page.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { runBerth } from '../../src/cli/run-berth.fixture.ts'
import { parseDocuments } from '../../src/cli/yaml.ts'
import { deployment } from '../../src/whatif/run/story.fixture.ts'
import { endLine, headerLine } from '../../src/whatif/snapshot/snapshot-lines.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-pipeline-'))
afterAll(() => rmSync(folder, { recursive: true }))
const docs = join(import.meta.dirname, '../../docs/how-to')
const page = readFileSync(join(docs, 'ci.md'), 'utf8')

const block = (pattern: RegExp): string => pattern.exec(page)?.[1] ?? ''
const workflow = block(/```yaml\n(# \.github\/workflows\/forecast\.yaml\n[^`]*)```/)
const expectations = block(/```yaml file=expect\.yaml\n([^`]*)```/)

interface Workflow {
  readonly jobs: { readonly forecast: { readonly steps: readonly { readonly name?: string; readonly run?: string }[] } }
}

function commands(): readonly string[] {
  const [document] = parseDocuments(workflow, 'ci.md')
  const { jobs } = (document?.value ?? { jobs: { forecast: { steps: [] } } }) as unknown as Workflow
  const { run = '' } = jobs.forecast.steps.find(({ name }) => name === 'Forecast') ?? {}
  return [...run.replaceAll(/\\\n\s*/g, '').matchAll(/^npx --yes kubeberth (.*?) > (\S+)/gm)].map(
    ([, words = '']) => words,
  )
}

describe('the pipeline of docs/how-to/ci.md', () => {
  it('the pipeline makes a forecast in every format, and its gate holds for a harmless change', async () => {
    for (const name of ['deploy', '.github']) mkdirSync(join(folder, name))
    writeFileSync(join(folder, 'deploy/cache.json'), JSON.stringify(deployment('cache', 2)))
    writeFileSync(join(folder, '.github/expect.yaml'), expectations)
    const { items } = JSON.parse(readFileSync(join(docs, 'cluster.json'), 'utf8')) as { items: readonly object[] }
    const lines = [
      headerLine(Date.UTC(2026, 0, 1), false),
      ...items.map((item) => `${JSON.stringify(item)}\n`),
      endLine({}, {}),
    ]
    writeFileSync(join(folder, 'prod.jsonl.gz'), gzipSync(lines.join('')))
    const runs = commands()
    expect(runs).toHaveLength(3)
    const outs: string[] = []
    for (const words of runs) {
      const { code, out, err } = await runBerth(words, { cwd: folder })
      expect({ words, code, err }).toEqual({ words, code: 0, err: '' })
      outs.push(out)
    }
    const [json = '', sarif = '', markdown = ''] = outs
    expect(JSON.parse(json)).toMatchObject({ kind: 'Forecast', verdict: 'SAFE' })
    expect(JSON.parse(sarif)).toMatchObject({ version: '2.1.0' })
    expect(markdown).toMatch(/^### SAFE: /)
    // The example has a pod that is pending before.
    expect(markdown).toContain('| pods pending at the end | 0 | 1 |')
  })
})
