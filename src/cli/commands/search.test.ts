import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { runBerth } from '../run-berth.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-search-'))
afterAll(() => rmSync(folder, { recursive: true }))

const web = fileURLToPath(new URL('../../../examples/search-web', import.meta.url))
const larger = join(folder, 'autoscaler.yaml')
writeFileSync(larger, readFileSync(join(web, 'autoscaler.yaml'), 'utf8').replace('max: 4', 'max: 5'))

const search = (autoscaler: string, ...more: readonly string[]) => [
  'search',
  ...['--from', join(web, 'cluster'), '--faults', join(web, 'faults.yaml'), '--autoscaler', autoscaler],
  ...['--threads', '1', '--no-propose-fix', '--no-reduce', ...more],
]
const weak = (...more: readonly string[]) => search(join(web, 'autoscaler.yaml'), ...more)
const clearLine = '\r\u001b[K'
const patience = { timeout: 120_000 }

describe('berth search', () => {
  it('prints the violation with a scenario, and exits with 1', patience, async () => {
    const { code, out, err } = await runBerth(weak())
    expect([code, err]).toEqual([1, ''])
    expect(out).toMatch(/^FOUND: losing web-1 and web-2 at once leaves a pod of default\/web pending for 10m0s\.\n/)
    expect(out).toContain(
      '# Save as found.yaml; berth simulate found.yaml replays it.\napiVersion: berth.dev/v1alpha1\n',
    )
  })

  it('prints found, violation, scenario and explored in JSON, the same bytes in every run', patience, async () => {
    const { code, out } = await runBerth(weak('-o', 'json'))
    const report = JSON.parse(out)
    expect(code).toBe(1)
    expect(report).toMatchObject({
      kind: 'Search',
      found: true,
      violation: { expectation: 'noPodPending', faults: 'losing web-1 and web-2 at once' },
      scenario: { kind: 'Scenario', steps: [{ fail: { node: 'web-1' } }, { fail: { node: 'web-2' } }] },
    })
    const repeated = weak('-o', 'json', '--seed', String(report.seed), '--cases', String(report.explored))
    expect((await runBerth(repeated)).out).toBe(out)
  })

  it('prints the scenario alone, which berth simulate replays', patience, async () => {
    const { code, out } = await runBerth(weak('-o', 'scenario'))
    expect([code, out.split('\n')[0]]).toEqual([1, 'apiVersion: berth.dev/v1alpha1'])
    const file = join(folder, 'found.yaml')
    writeFileSync(file, out)
    const replayed = await runBerth(['simulate', file, '-o', 'json'])
    expect(replayed.code).toBe(1)
    expect(replayed.out).toContain('noPodPending')
  })

  it('rejects faults that have no target in the cluster, and reports what they need', patience, async () => {
    const racks = await runBerth(['search', '--from', join(web, 'cluster'), '--only', 'racks'])
    expect([racks.code, racks.out]).toEqual([2, ''])
    expect(racks.err).toBe(
      'berth: the cluster has no target for any fault of the model: rack-fails needs nodes with the label topology.kubernetes.io/rack\n',
    )
    const wild = await runBerth(['search', '--from', join(web, 'cluster'), '--faults', 'wild'])
    expect([wild.code, wild.err]).toEqual([2, 'berth: --faults wild: must be realistic, harsh, or a file\n'])
  })

  it('prints the certificate with --certify, and exits with 0', patience, async () => {
    const { code, out } = await runBerth(search(larger, '--certify'))
    expect(code).toBe(0)
    expect(out).toMatch(/^NOT FOUND: no case violates an expectation; every case was run\.\n/)
    expect(out).toMatch(/^Proven: every single fault \(node-fails, drain\) meets .*: 6 cases, 2 distinct\.$/m)
    expect(out).toMatch(/^Proven: every two faults .* 96 cases, 17 distinct\.$/m)
    expect(out).toContain('Not covered: three or more faults.\n')
  })

  it('reports on standard error that there is no scenario', patience, async () => {
    const { code, out, err } = await runBerth(search(larger, '--certify', '-o', 'scenario'))
    expect([code, out]).toEqual([0, ''])
    expect(err).toMatch(/^NOT FOUND: /)
  })

  it('prints the best result so far when its budget is used up', patience, async () => {
    const { code, out } = await runBerth(search(larger, '--cases', '2'))
    expect(code).toBe(0)
    expect(out).toContain(
      '; the search ended before all were run.\n2 cases of 1h each (--seed 1 --cases 2 repeats them)',
    )
  })

  it('keeps the best result after Ctrl-C, without shrinking it further', patience, async () => {
    const control = new AbortController()
    const lines: string[] = []
    const stderr = {
      isTTY: true,
      columns: 110,
      write: (text: string) => {
        lines.push(text)
        // The violation is found, and is being shrunk.
        if (text.includes('shrink')) control.abort()
      },
    }
    let now = 0
    const clock = () => {
      now += 600
      return now
    }
    const { code, out } = await runBerth(weak('--budget', '10h'), {
      stderr,
      now: clock,
      interruption: () => control.signal,
    })
    expect([code, control.signal.aborted]).toEqual([1, true])
    expect(out).toMatch(/^FOUND: losing web-\d and web-\d /)
    expect(lines[0]?.startsWith(clearLine)).toBe(true)
    expect(lines[0]).toMatch(/: \d+ cases, [\d.]+\/s, margin -?\d+%, \d+ effects$/)
    expect(lines.at(-1)).toBe(clearLine)
  })

  it.each([
    [['--only', 'rockets'], /--only rockets: must be one or more of nodes, racks, .*, separated by commas/],
    [['--faults', join(folder, 'absent.yaml')], /absent\.yaml/],
    [['--expect', join(folder, 'empty.yaml')], /empty\.yaml: has no expectation/],
    [['--from', join(folder, 'absent.json')], /absent\.json/],
    [['--budget', 'soon'], /--budget/],
    [['--cases', '0'], /--cases/],
    [['-o', 'yaml'], /text, json, scenario|text\|json\|scenario/],
  ])('exits with 2 for %s', async (args, message) => {
    writeFileSync(join(folder, 'empty.yaml'), 'expect: {}\n')
    const { code, out, err } = await runBerth(weak(...args))
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(message)
  })
})
