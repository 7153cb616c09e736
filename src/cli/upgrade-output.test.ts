import { describe, expect, it } from 'vitest'
import type { UpgradeReport } from '../whatif/upgrade/upgrade-report.ts'
import { plainPalette } from './output.ts'
import { briefUpgrade, printUpgrade } from './upgrade-output.ts'

const report: UpgradeReport = {
  apiVersion: 'berth.dev/v1alpha1',
  kind: 'UpgradeReport',
  from: 'v1.34.1',
  to: 'v1.34.2',
  seconds: 3600,
  isSame: false,
  notes: [],
  findings: [
    {
      kind: 'pods',
      what: 'pods of Job default/work are deleted later',
      details: [1, 2, 3, 4, 5, 6, 7].map((n) => `default/work-${n}: deleted at 2s instead of 1s`),
      objects: [],
    },
    { kind: 'message', what: 'taints', before: 'taint {a: <b>}', after: 'taint(s)', objects: ['nodes/n1'] },
  ],
}

describe('the output of an upgrade forecast', () => {
  it('quotes a changed message of both releases, and cuts long lists', () => {
    expect(printUpgrade(report, 'table', plainPalette).split('\n')).toEqual([
      'Upgrade of the control plane from v1.34.1 to v1.34.2',
      '1 group of pods has another outcome, 1 message changes.',
      '',
      'Pods with another outcome:',
      '  pods of Job default/work are deleted later',
      ...[1, 2, 3, 4, 5].map((n) => `    default/work-${n}: deleted at 2s instead of 1s`),
      '    and 2 more',
      '',
      'Changed messages:',
      '  taints',
      '    v1.34.1: taint {a: <b>}',
      '    v1.34.2: taint(s)',
      '    nodes/n1',
      '',
    ])
  })

  it('breaks lines at the width of the terminal, and prints one line for --brief', () => {
    const lines = printUpgrade(report, 'table', { ...plainPalette, width: 40 }).split('\n')
    expect(lines.slice(0, 2)).toEqual(['Upgrade of the control plane from', '  v1.34.1 to v1.34.2'])
    expect(lines.filter((line) => line.length > 40)).toEqual([])
    expect(briefUpgrade(report)).toBe('v1.34.1 to v1.34.2: 1 group of pods has another outcome, 1 message changes.\n')
  })

  it('prints a list in Markdown, escapes HTML, and prints all findings in JSON', () => {
    expect(printUpgrade(report, 'markdown', plainPalette)).toContain(
      '- taints\n  - `v1.34.1: taint {a: <b>}`\n  - `v1.34.2: taint(s)`\n  - `nodes/n1`',
    )
    expect(printUpgrade(report, 'html', plainPalette)).toContain('<code>v1.34.1: taint {a: &lt;b&gt;}</code>')
    expect(JSON.parse(printUpgrade(report, 'json', plainPalette))).toEqual(report)
  })
})
