import { describe, expect, it } from 'vitest'
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

  it('places a pod on a node that will evict it after tolerationSeconds, as upstream', () => {
    expect(verdicts({ nodes }, finite)['evicting']).toBe('ok')
  })

  it('rejects such a node with the fix finite-tolerations', () => {
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
