import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { must } from '../../src/base/result.ts'
import { formatTrace } from '../../src/whatif/facts/fact.ts'
import { ForecastRun, type ForecastRunOptions } from '../../src/whatif/run/forecast-run.ts'
import { readScenario } from '../../src/whatif/scenario/scenario.ts'
import { planOfScenario } from '../../src/whatif/scenario/scenario-plan.ts'

const here = import.meta.dirname
const names = readdirSync(here)
  .filter((file) => file.endsWith('.trace.jsonl'))
  .map((file) => file.replace('.trace.jsonl', ''))

const folder = mkdtempSync(join(tmpdir(), 'berth-traces-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function forecast(name: string, options: ForecastRunOptions = {}): Promise<string> {
  const document = JSON.parse(readFileSync(join(here, `${name}.json`), 'utf8'))
  // The recordings are of v1.36.
  document.config = { ...document.config, 'kubernetes-version': '1.36' }
  const scenario = must(await readScenario(document, async () => []))
  return formatTrace(ForecastRun.start(planOfScenario(scenario).plan, options).finish().recorder.facts)
}

/** Uses the comparison rule itself: compare.mjs. */
function compare(name: string, trace: string): { readonly says: string; readonly status: number | null } {
  const file = join(folder, `${name}.jsonl`)
  writeFileSync(file, trace)
  const run = spawnSync('node', [join(here, 'compare.mjs'), join(here, `${name}.trace.jsonl`), file], {
    encoding: 'utf8',
  })
  return { says: run.stdout, status: run.status }
}

// Each comparison is a separate process, which is slow on a busy machine.
describe('a forecast agrees with what the real components did', { timeout: 60_000 }, () => {
  it.each(names)('%s', async (name) => {
    const { says, status } = compare(name, await forecast(name))
    expect(says).toMatch(/^(\d+) of \1 facts agree\n$/)
    expect(status).toBe(0)
  })

  it.each(names)('%s, with written heartbeats and another seed', async (name) => {
    for (const options of [{ heartbeats: 'written' }, { seed: '2' }, { seed: 'x' }] as const) {
      expect(compare(name, await forecast(name, options)).says).toMatch(/^(\d+) of \1 facts agree\n$/)
    }
  })

  it('the forecast of a recorded scenario is byte-identical in every run', async () => {
    for (const name of names) expect(await forecast(name)).toBe(await forecast(name))
  })

  it('the comparison with a recording reports a wrong forecast', async () => {
    const trace = await forecast('user-taint')
    const late = trace.replaceAll('"t":10,', '"t":15,')
    expect(late).not.toBe(trace)
    expect(compare('user-taint', late).status).toBe(1)
  })
})
