import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isSerial, parseListedSpecs, parseSpecNames, planBatches, type Spec } from './spec-plan.ts'
import { parseJUnit, summaryOf } from './spec-results.ts'

const listed = `The following spec names can be used with 'ginkgo run --focus/skip':
    ../go/pkg/mod/k8s.io/kubernetes@v1.36.4/test/e2e/apps/job.go:70: [sig-apps] Job should run a job to completion
    ../go/pkg/mod/k8s.io/kubernetes@v1.36.4/test/e2e/dra/dra.go:988: [sig-node] [DRA] control plane supports parameters
    ../go/pkg/mod/k8s.io/kubernetes@v1.36.4/test/e2e/dra/dra.go:988: [sig-node] [DRA] kubelet supports parameters
    ../go/pkg/mod/k8s.io/kubernetes@v1.36.4/test/e2e/apps/job.go:90: [sig-apps] Job [Serial] should fill (all) nodes`

describe('the plan of a run', () => {
  const all = parseListedSpecs(listed)
  const named = (part: string) => all.filter(({ name }) => name.includes(part))

  it('reads the locations of specs from the list of the suite', () => {
    expect(all[0]).toEqual({ name: '[sig-apps] Job should run a job to completion', file: 'apps/job.go', line: 70 })
    expect(all).toHaveLength(4)
  })

  it('selects specs by file and line, and skips others of the same line by name', () => {
    const wanted = all.filter(({ name }) => !name.includes('kubelet'))
    expect(planBatches(wanted, all, 8)).toEqual([
      {
        specs: wanted,
        focusFiles: ['/test/e2e/apps/job\\.go:70,90', '/test/e2e/dra/dra\\.go:988'],
        skip: ['\\[sig-node\\] \\[DRA\\] kubelet supports parameters$'],
      },
    ])
  })

  it('keeps specs of one line in one batch', () => {
    const batches = planBatches(named('[DRA]'), all, 1)
    expect(batches.map(({ specs }) => specs.length)).toEqual([2])
  })

  it('runs serial and disruptive specs alone', () => {
    expect(all.filter(isSerial)).toEqual(named('[Serial]'))
    expect(isSerial({ name: '[sig-node] NoExecute [Disruptive]' } as Spec)).toBe(true)
  })
})

describe('the report of a run', () => {
  const xml = `<testsuites><testsuite>
    <testcase name="[SynchronizedBeforeSuite]" classname="e2e" status="passed" time="0.1"></testcase>
    <testcase name="[It] [sig-apps] Job doesn&#39;t wait" classname="e2e" status="passed" time="1.5"></testcase>
    <testcase name="[It] [sig-apps] Job fails" classname="e2e" status="failed" time="2">
      <failure message="" type="failed">expected &lt;1&gt;&#xA;got 2</failure>
    </testcase>
    <testcase name="[It] [sig-node] Pods not selected" classname="e2e" status="skipped" time="0"><skipped message="skipped"></skipped></testcase>
    <testcase name="[It] [sig-node] Pods skipped" classname="e2e" status="skipped" time="0"><skipped message="skipped - no Windows"></skipped></testcase>
    <testcase name="[It] [sig-node] Pods late" classname="e2e" status="timedout" time="9"></testcase>
  </testsuite></testsuites>`
  const results = parseJUnit(xml)

  it('has the specs that ran, with the reason of those that did not pass', () => {
    expect(results.map(({ name, outcome, message }) => [name, outcome, message])).toEqual([
      ["[sig-apps] Job doesn't wait", 'passed', ''],
      ['[sig-apps] Job fails', 'failed', 'expected <1>\ngot 2'],
      ['[sig-node] Pods skipped', 'skipped', 'skipped - no Windows'],
      ['[sig-node] Pods late', 'failed', 'timedout'],
    ])
  })

  it('counts by SIG', () => {
    expect(summaryOf(results, '1m5s')).toEqual([
      'sig-apps                    1 passed    1 failed',
      'sig-node                    0 passed    1 failed    1 skipped',
      'all                         1 passed    2 failed    1 skipped in 1m5s',
    ])
  })
})

describe('the lists of specs', () => {
  const read = (file: string) => parseSpecNames(readFileSync(`test/e2e/${file}`, 'utf8'))

  it('the lists of specs have no spec twice', () => {
    const names = [...read('specs.txt'), ...read('not-run.txt')]
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })
})
