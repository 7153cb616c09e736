import { expect, it } from 'vitest'
import type { Taint } from '../../api/objects/node.ts'
import type { Pod, Toleration } from '../../api/objects/pod.ts'
import { mayStay } from './finite-tolerations.ts'

const pod = (...tolerations: readonly Toleration[]): Pod => ({
  metadata: { name: 'web' },
  spec: { containers: [], tolerations },
})
const node = (...taints: readonly Taint[]) => ({ metadata: { name: 'a1' }, spec: { taints } })
const taint: Taint = { key: 'a', effect: 'NoExecute' }

it.each([
  ['no taints', pod(), node(), true],
  ['a NoSchedule taint is another question', pod(), node({ key: 'a', effect: 'NoSchedule' }), true],
  ['tolerated for ever', pod({ key: 'a', operator: 'Exists' }), node(taint), true],
  ['tolerated for a time', pod({ key: 'a', operator: 'Exists', tolerationSeconds: 300 }), node(taint), false],
  ['not tolerated', pod(), node(taint), false],
])('%s', (_, placed, where, expected) => {
  expect(mayStay(placed, where)).toBe(expected)
})
