import { describe, expect, it } from 'vitest'
import { parseFeatureGates } from '../../../api/releases/feature-gates.ts'
import { releaseOf, withFeatureGates } from '../../../api/releases/release-of.ts'
import { must } from '../../../base/result.ts'
import { createSmallCluster, node, pod } from '../../small-cluster.fixture.ts'
import { createDefaultProfile } from '../default-plugins.ts'
import { verdicts } from '../plugin-answers.fixture.ts'

describe('TaintToleration', () => {
  const tainted = (name: string, effect: 'NoSchedule' | 'NoExecute' | 'PreferNoSchedule') =>
    node(name, { spec: { taints: [{ key: 'k', value: 'v', effect }] } })
  const nodes = [tainted('hard', 'NoSchedule'), tainted('evicting', 'NoExecute'), tainted('soft', 'PreferNoSchedule')]
  const refused = 'TaintToleration!: node(s) had untolerated taint(s)'
  const finite = { tolerations: [{ key: 'k', operator: 'Exists' as const, tolerationSeconds: 60 }] }

  it('rejects nodes with NoSchedule and NoExecute taints and accepts PreferNoSchedule taints', () => {
    expect(verdicts({ nodes }, {})).toEqual({ hard: refused, evicting: refused, soft: 'ok' })
    expect(verdicts({ nodes }, { tolerations: [{ key: 'k', operator: 'Equal', value: 'v' }] })).toEqual({
      hard: 'ok',
      evicting: 'ok',
      soft: 'ok',
    })
  })

  it.each([
    ['1.34.1', 'TaintToleration!: node(s) had untolerated taint {k: v}'],
    ['1.34.2', refused],
    ['1.35.0', refused],
  ])('TaintToleration in %s rejects a node with the message "%s"', (version, message) => {
    const profile = createDefaultProfile({ release: must(releaseOf(version)) })
    expect(verdicts({ nodes, profile }, {})['hard']).toBe(message)
  })

  it('evaluates the operators Gt and Lt only with their feature gate', () => {
    const level = node('level', { spec: { taints: [{ key: 'k', value: '7', effect: 'NoSchedule' }] } })
    const above = { tolerations: [{ key: 'k', operator: 'Gt' as const, value: '5' }] }
    const gates = must(parseFeatureGates('TaintTolerationComparisonOperators=true'))
    const release = must(withFeatureGates(must(releaseOf('1.37')), gates))
    expect(verdicts({ nodes: [level] }, above)).toEqual({ level: refused })
    expect(verdicts({ nodes: [level], profile: createDefaultProfile({ release }) }, above)).toEqual({ level: 'ok' })
  })

  it('places a pod on a node that will evict it after tolerationSeconds, as upstream', () => {
    expect(verdicts({ nodes }, finite)['evicting']).toBe('ok')
  })

  it('rejects a node that will evict the pod after tolerationSeconds with the fix finite-tolerations', () => {
    const profile = createDefaultProfile({ args: { TaintToleration: { finiteTolerations: 'ignore' } } })
    expect(verdicts({ nodes, profile }, finite)).toEqual({ hard: 'ok', evicting: refused, soft: 'ok' })
  })

  it('prefers nodes with fewer PreferNoSchedule taints', () => {
    const two = node('two', {
      spec: { taints: ['a', 'b'].map((key) => ({ key, effect: 'PreferNoSchedule' as const })) },
    })
    const { explain } = createSmallCluster({ nodes: [node('none'), tainted('one', 'PreferNoSchedule'), two] })
    const scores = explain(pod('a')).scores.map(({ plugins }) => plugins['TaintToleration'])
    expect(scores).toEqual([300, 150, 0])
  })
})
