import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { budget, deployment, dumpOf, node } from '../../whatif/run/story.fixture.ts'
import { runBerth } from '../run-berth.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-lint-'))
afterAll(() => rmSync(folder, { recursive: true }))

beforeAll(async () => {
  const dump = await dumpOf([
    node('a'),
    node('b'),
    deployment('db', 1),
    budget('db', 1),
    deployment('web', 2),
    budget('web', 1),
  ])
  writeFileSync(join(folder, 'dump.json'), JSON.stringify(dump))
  mkdirSync(join(folder, 'deploy'))
  const documents = [budget('none', 1), deployment('cart', 3)].map((object) => JSON.stringify(object))
  writeFileSync(join(folder, 'deploy/my app.yaml'), documents.join('\n---\n'))
  writeFileSync(join(folder, 'web.json'), JSON.stringify(deployment('shop', 3)))
})

interface SarifResult {
  readonly level: string
  readonly locations: readonly [
    {
      readonly physicalLocation: {
        readonly artifactLocation: { readonly uri: string }
        readonly region: { readonly startLine: number }
      }
    },
  ]
  readonly partialFingerprints: Readonly<Record<string, string>>
}

const berth = (words: string) => runBerth(words, { cwd: folder })

describe('berth lint', () => {
  it('exits with 1 for an error, and prints object, evidence and fix', async () => {
    const { code, out } = await berth('lint --from dump.json')
    expect(code).toBe(1)
    expect(out).toContain('PodDisruptionBudget default/db: minAvailable: 1 of 1 pod never allows an eviction')
    expect(out).toMatch(/evidence: whatif drain [ab]: BLOCKED/)
    expect(out).toContain('fix: run at least 2 replicas, or set maxUnavailable: 1')
  })

  it('accepts findings below --fail-on', async () => {
    expect((await berth('lint --from dump.json --fail-on never')).code).toBe(0)
    expect((await berth('lint --from dump.json --rule single-replica --no-forecast')).code).toBe(0)
    expect((await berth('lint --from dump.json --rule single-replica --no-forecast --fail-on warning')).code).toBe(1)
  })

  it('checks manifests without a cluster', async () => {
    const { out, code } = await berth('lint -f web.json -o json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ kind: 'LintReport', findings: [{ rule: 'no-budget', name: 'shop' }] })
  })

  it('writes SARIF with the rule of each result', async () => {
    const { out } = await berth('lint --from dump.json -o sarif --no-forecast')
    const { version, runs } = JSON.parse(out)
    expect(version).toBe('2.1.0')
    const known = new Set(runs[0].tool.driver.rules.map(({ id }: { id: string }) => id))
    expect(runs[0].results.length).toBeGreaterThan(0)
    expect(runs[0].results.every(({ ruleId }: { ruleId: string }) => known.has(ruleId))).toBe(true)
  })

  it('writes SARIF with the file and line of each object, a level and a fingerprint', async () => {
    const { out } = await berth('lint -f deploy -o sarif')
    const [{ results }] = JSON.parse(out).runs
    const places = results.map(({ locations: [{ physicalLocation }], partialFingerprints, level }: SarifResult) => [
      physicalLocation.artifactLocation.uri,
      physicalLocation.region.startLine,
      partialFingerprints['berthProblem/v1'],
      level,
    ])
    expect(places).toEqual([
      ['deploy/my%20app.yaml', 1, 'budget-selects-nothing default/PodDisruptionBudget/none', 'warning'],
      ['deploy/my%20app.yaml', 3, 'no-budget default/Deployment/cart', 'warning'],
    ])
    const fromCluster = JSON.parse((await berth('lint --from dump.json -o sarif --no-forecast')).out).runs[0].results
    expect(fromCluster[0].locations[0].physicalLocation.artifactLocation.uri).toBe('dump.json')
  })

  it('rejects an unknown rule with the list of rules', async () => {
    const { code, err } = await berth('lint --from dump.json --rule no-bugdet')
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('the rules are budget-never-drains') })
  })
})
