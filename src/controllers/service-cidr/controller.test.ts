import { beforeEach, describe, expect, it } from 'vitest'
import type { IPAddress, ServiceCIDR } from '../../api/objects/service-addresses.ts'
import { WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createServiceCidrController } from './controller.ts'

const ranges = 'servicecidrs.networking.k8s.io'
const addresses = 'ipaddresses.networking.k8s.io'

describe('the ServiceCIDR controller', () => {
  let c: WorkloadCluster
  beforeEach(() => {
    c = new WorkloadCluster({ kubelet: 'none', controllers: [createServiceCidrController()] })
  })
  const range = (name: string): ServiceCIDR | undefined => {
    const outcome = c.call({ verb: 'get', resource: ranges, name })
    return outcome.ok && outcome.kind === 'object' ? (outcome.object as ServiceCIDR) : undefined
  }
  const ready = (name: string) => {
    const [condition] = range(name)?.status?.conditions ?? []
    return `${condition?.status} ${condition?.reason} ${condition?.message}`
  }
  const add = (name: string, ...cidrs: string[]) => {
    c.create(ranges, { metadata: { name }, spec: { cidrs } })
    c.settle()
  }
  const occupy = (name: string): IPAddress =>
    c.create(addresses, {
      metadata: { name, labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'x' } },
    })
  const remove = (name: string) => {
    c.call({ verb: 'delete', resource: ranges, name })
    c.settle()
  }

  it('protects a range and reports that it is ready', () => {
    add('one', '10.7.0.0/24')
    expect(range('one')?.metadata.finalizers).toEqual(['networking.k8s.io/service-cidr-finalizer'])
    expect(ready('one')).toBe('True  Kubernetes Service CIDR is ready')
  })

  it('deletes an unused range after ten seconds', () => {
    add('one', '10.7.0.0/24')
    remove('one')
    c.advance(9_000)
    expect(range('one')).toBeDefined()
    c.advance(1_000)
    expect(range('one')).toBeUndefined()
  })

  it('keeps a range while a service has an address in it, and reports this', () => {
    add('one', '10.7.0.0/24')
    occupy('10.7.0.9')
    remove('one')
    c.advance(60_000)
    expect(ready('one')).toContain('False Terminating There are still IPAddresses referencing the ServiceCIDR')
    c.call({ verb: 'delete', resource: addresses, name: '10.7.0.9' })
    c.settle()
    expect(range('one')).toBeUndefined()
  })

  it('deletes a used range whose addresses are also in another one', () => {
    add('one', '10.7.0.0/24')
    occupy('10.7.0.9')
    remove('one')
    add('two', '10.7.0.0/16')
    c.advance(10_000)
    expect([range('one'), ready('two')]).toEqual([undefined, 'True  Kubernetes Service CIDR is ready'])
  })
})
