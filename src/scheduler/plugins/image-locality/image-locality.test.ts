import { describe, expect, it } from 'vitest'
import { createSmallCluster, node, pod } from '../../small-cluster.fixture.ts'

describe('ImageLocality', () => {
  it('prefers nodes that have the image, weighted by the share of nodes that have it', () => {
    const images = [{ names: ['app:latest'], sizeBytes: 1000 * 1024 * 1024 }]
    const nodes = [node('has', { status: { images } }), node('lacks')]
    const asked = pod('a')
    const { explain, schedule } = createSmallCluster({ nodes })
    expect(explain(asked).scores.map(({ plugins }) => plugins['ImageLocality'])).toEqual([48, 0])
    expect(schedule(asked)).toMatchObject({ node: 'has' })
  })

  it('follows images that are added and removed', () => {
    const images = [{ names: ['app:latest'], sizeBytes: 1000 * 1024 * 1024 }]
    const { schedule, cache } = createSmallCluster({ nodes: [node('n1'), node('n2')] })
    schedule(pod('a'))
    cache.updateNode(node('n2'), node('n2', { status: { images } }))
    expect(schedule(pod('b'))).toMatchObject({ node: 'n2' })
    cache.updateNode(node('n2'), node('n2'))
    cache.updateNode(node('n1'), node('n1', { status: { images } }))
    expect(schedule(pod('c'))).toMatchObject({ node: 'n1' })
  })
})
