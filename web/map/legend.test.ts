import { describe, expect, it } from 'vitest'
import { ClusterModel } from '../model/cluster.ts'
import { nodeRow, podRow } from '../model/rows.fixture.ts'
import { podState } from '../model/rows.ts'
import { byCpu, coloringOf } from './coloring.ts'
import type { CellSize } from './layout.ts'
import { marksIn } from './legend.tsx'

const cell = (level: CellSize['level'], height: number): CellSize => ({ level, width: height, height, gap: 1 })

function clusterOf(): ClusterModel {
  const cluster = new ClusterModel()
  cluster.putNode(nodeRow('a'))
  cluster.putNode(nodeRow('b', { health: 2, taints: ['gone=now:NoExecute'] }))
  cluster.putPod(podRow('x/runs', { node: 'a' }))
  cluster.putPod(podRow('x/ends', { node: 'b', state: podState.terminating }))
  cluster.putPod(podRow('x/waits', { nominated: 'a' }))
  return cluster
}

const textsOf = (size: CellSize, coloring = byCpu) => marksIn(clusterOf(), coloring, size).map(({ text }) => text)

describe('the legend of the map', () => {
  it.each([
    ['dots', cell('dot', 8), ['no heartbeat', 'NoExecute', 'pods terminating', 'pods nominated']],
    ['small tiles', cell('tile', 30), ['no heartbeat', 'NoExecute', 'pods terminating', 'pods nominated']],
    [
      'tiles with pods',
      cell('tile', 60),
      ['no heartbeat', 'NoExecute', 'pod running', 'pod terminating', 'pod nominated'],
    ],
    ['cards', cell('card', 120), ['ready', 'no heartbeat', 'pod running', 'pod terminating', 'pod nominated']],
  ] as const)('has the marks that %s show, and no others', (_, size, texts) => {
    expect(textsOf(size)).toEqual(texts)
  })

  it('the legend omits a mark that the colors explain', () => {
    expect(textsOf(cell('dot', 8), coloringOf(clusterOf(), 'health'))).not.toContain('no heartbeat')
    expect(textsOf(cell('dot', 8), coloringOf(clusterOf(), 'taints'))).not.toContain('NoExecute')
  })

  it('the legend has no entry for marks that no node has', () => {
    const cluster = new ClusterModel()
    cluster.putNode(nodeRow('a'))
    expect(marksIn(cluster, byCpu, cell('dot', 8))).toEqual([])
    expect(marksIn(cluster, byCpu, cell('card', 120)).map(({ text }) => text)).toEqual(['ready'])
  })
})
