import { describe, expect, it } from 'vitest'
import type { Pod, ResourceRequirements } from './objects/pod.ts'
import { computeQosClass, type QosClass, qosClassOf } from './qos-class.ts'

function pod(containers: readonly ResourceRequirements[], podLevel?: ResourceRequirements): Pod {
  return {
    metadata: { name: 'p' },
    spec: {
      containers: containers.map((resources, i) => ({ name: `c${i}`, resources })),
      ...(podLevel === undefined ? {} : { resources: podLevel }),
    },
  }
}
const full = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1000m', memory: '1024Mi' } }

describe('computeQosClass', () => {
  it.each<[string, Pod, QosClass]>([
    ['a pod without requests', pod([{}]), 'BestEffort'],
    ['only zeros', pod([{ requests: { cpu: '0' } }]), 'BestEffort'],
    ['only extended resources', pod([{ requests: { 'example.com/gpu': '1' } }]), 'BestEffort'],
    ['requests equal limits in another notation', pod([full]), 'Guaranteed'],
    ['one container without limits', pod([full, {}]), 'Burstable'],
    ['no memory limit', pod([{ requests: { cpu: '1' }, limits: { cpu: '1' } }]), 'Burstable'],
    ['requests below limits', pod([{ ...full, requests: { cpu: '1', memory: '1Mi' } }]), 'Burstable'],
    ['pod-level resources', pod([{}], full), 'Guaranteed'],
    ['pod-level resources with cpu only', pod([full], { requests: { cpu: '1' } }), 'Burstable'],
    ['empty pod-level resources, which hide the resources of containers', pod([full], {}), 'BestEffort'],
  ])('computes the QoS class of a pod: %s', (_, given, expected) => {
    expect(computeQosClass(given)).toBe(expected)
  })

  it('uses the QoS class in the status of a pod', () => {
    expect(qosClassOf({ ...pod([full]), status: { qosClass: 'Burstable' } })).toBe('Burstable')
  })
})
