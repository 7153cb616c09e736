import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { must } from '../../../src/base/result.ts'
import { formatTrace } from '../../../src/whatif/facts/fact.ts'
import { ForecastRun } from '../../../src/whatif/run/forecast-run.ts'
import { readScenario } from '../../../src/whatif/scenario/scenario.ts'
import { planOfScenario } from '../../../src/whatif/scenario/scenario-plan.ts'

const here = import.meta.dirname
const folder = mkdtempSync(join(tmpdir(), 'berth-autoscalers-'))
afterAll(() => rmSync(folder, { recursive: true }))

const names = readdirSync(here)
  .filter((file) => file.endsWith('.trace.jsonl'))
  .map((file) => file.replace('.trace.jsonl', ''))

/** Facts that follow from a random choice of the real components, by recording. */
const races: Readonly<Record<string, RegExp>> = {
  // The ReplicaSet controller does not determine which of the oldest pods stay, and therefore which node.
  'autoscaler-balance': /^node\/pool-[ab]-\* (tainted|cordoned|deleted): /,
  // The two remaining pods were on one node in the recording, and are on two nodes in berth, so one of them moves.
  'karpenter-budgets': /^pod\/web-\* (created|bound|terminating|gone|disruption): real - /,
}

async function forecast(name: string): Promise<string> {
  const document = JSON.parse(readFileSync(join(here, `${name}.json`), 'utf8'))
  const scenario = must(await readScenario(document, async () => []))
  return formatTrace(ForecastRun.start(planOfScenario(scenario).plan).finish().recorder.facts)
}

it.each(names)('a forecast with an autoscaler agrees with the recording %s', { timeout: 60_000 }, async (name) => {
  const trace = await forecast(name)
  expect(await forecast(name)).toBe(trace)
  const file = join(folder, `${name}.jsonl`)
  writeFileSync(file, trace)
  const rule = join(here, '..', 'compare.mjs')
  const { stdout } = spawnSync('node', [rule, join(here, `${name}.trace.jsonl`), file], { encoding: 'utf8' })
  const differences = stdout.trimEnd().split('\n').slice(0, -1)
  const race = races[name]
  expect(differences.filter((line) => race?.test(line) !== true)).toEqual([])
  expect(differences.length).toBeLessThanOrEqual(race === undefined ? 0 : 6)
})
