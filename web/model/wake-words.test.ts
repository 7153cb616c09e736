import { expect, it } from 'vitest'
import { wakesText, wakeWords } from './wake-words.ts'

it.each([
  ['PodUpdatePodScaleDown', 'a pod requests less'],
  ['AssignedPodDelete', 'a placed pod is deleted'],
  ['NodeAdd', 'a node is added'],
  ['NodeUpdateNodeTaint', 'a node loses a taint'],
  ['NodeUpdateNodeAllocatable', 'a node gets more capacity'],
  ['TargetPodUpdatePodToleration', 'the pod itself tolerates more'],
  ['PersistentVolumeClaimUpdate', 'a volume claim changes'],
  ['resource.k8s.io/ResourceSliceAdd', 'a list of devices is added'],
  ['SomethingNew', 'SomethingNew'],
])('%s reads: %s', (event, words) => {
  expect(wakeWords(event)).toBe(words)
})

it('lists an event once if several plugins wait for it', () => {
  expect(wakesText({ A: ['NodeAdd'], B: ['NodeAdd', 'AssignedPodDelete'] })).toBe(
    'a node is added, a placed pod is deleted',
  )
  expect(wakesText({})).toBe('–')
})
