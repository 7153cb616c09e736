import { describe, expect, it } from 'vitest'
import type { ResourceClaim } from '../../api/objects/devices.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { releaseOf } from '../../api/releases/release-of.ts'
import { failure } from '../../api/status.ts'
import { MetricRegistry } from '../../base/metrics.ts'
import { must } from '../../base/result.ts'
import { WorkloadCluster, type WorkloadClusterOptions } from '../workload-cluster.fixture.ts'
import { createResourceClaimController } from './controller.ts'

const claimResource = 'resourceclaims.resource.k8s.io'
const templateResource = 'resourceclaimtemplates.resource.k8s.io'
const spec = { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } }
const claimFinalizerName = 'resource.kubernetes.io/delete-protection'

class ClaimCluster extends WorkloadCluster {
  constructor(options: Partial<WorkloadClusterOptions> = {}, metrics?: MetricRegistry) {
    super({
      controllers: [createResourceClaimController(metrics === undefined ? {} : { metrics })],
      kubelet: 'none',
      nodes: ['node'],
      ...options,
    })
  }

  addTemplate(name = 'template', metadata: object = {}): void {
    this.create(templateResource, { metadata: { name, namespace: 'default' }, spec: { metadata, spec } })
  }

  addPod(name: string, resourceClaims: readonly object[], more: object = {}): Pod {
    return this.create('pods', {
      metadata: { name, namespace: 'default' },
      spec: { containers: [{ name: 'c', image: 'i' }], resourceClaims, ...more },
    })
  }

  addClaim(name: string, metadata: object = {}): ResourceClaim {
    return this.create(claimResource, { metadata: { name, namespace: 'default', ...metadata }, spec })
  }

  /** Allocates a claim as the scheduler does: finalizer, allocation, reservations. */
  allocate(name: string, ...pods: readonly Pod[]): void {
    this.patch(claimResource, `default/${name}`, { metadata: { finalizers: [claimFinalizerName] } })
    const results = [{ request: 'gpu', driver: 'gpu.example.com', pool: 'node', device: 'gpu-0' }]
    const reservedFor = pods.map(({ metadata }) => ({ resource: 'pods', name: metadata.name, uid: metadata.uid }))
    this.patch(
      claimResource,
      `default/${name}`,
      { status: { allocation: { devices: { results } }, reservedFor } },
      'status',
    )
  }

  claim(name: string): ResourceClaim | undefined {
    return this.get(claimResource, `default/${name}`)
  }

  claims(): readonly ResourceClaim[] {
    return this.list(claimResource)
  }

  pod(name: string): Pod | undefined {
    return this.get('pods', `default/${name}`)
  }
}

const fromTemplate = { name: 'gpu', resourceClaimTemplateName: 'template' }
const shared = { name: 'gpu', resourceClaimName: 'shared' }

describe('claims from templates', () => {
  it('claims from templates block the deletion of their pod in v1.34', () => {
    const c = new ClaimCluster({ controllers: [createResourceClaimController({ gates: { blocksOwner: true } })] })
    c.addTemplate()
    c.addPod('web', [fromTemplate])
    c.settle()
    expect(c.claims()[0]?.metadata.ownerReferences).toMatchObject([{ kind: 'Pod', blockOwnerDeletion: true }])
  })

  it('creates the claims of a pod from templates, owned by the pod, and records their names in its status', () => {
    const c = new ClaimCluster()
    c.addTemplate('template', { labels: { app: 'web' }, annotations: { note: 'x' } })
    const pod = c.addPod('web', [fromTemplate, { name: 'other', resourceClaimTemplateName: 'template' }])
    c.settle()
    expect(c.claims()).toHaveLength(2)
    const [claim] = c.claims().filter(({ metadata }) => metadata.name.startsWith('web-gpu-'))
    expect(claim?.metadata).toMatchObject({
      generateName: 'web-gpu-',
      labels: { app: 'web' },
      annotations: { note: 'x', 'resource.kubernetes.io/pod-claim-name': 'gpu' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: pod.metadata.uid, controller: true }],
    })
    expect(claim?.metadata.ownerReferences?.[0]).not.toHaveProperty('blockOwnerDeletion')
    expect(claim?.spec.devices?.requests?.[0]?.name).toBe('gpu')
    expect(c.pod('web')?.status?.resourceClaimStatuses).toEqual([
      { name: 'gpu', resourceClaimName: claim?.metadata.name },
      { name: 'other', resourceClaimName: expect.stringMatching(/^web-other-/) },
    ])
    expect(c.pod('web')?.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'ResourceClaimController', operation: 'Apply', subresource: 'status' }),
    )
  })

  it('waits for a missing claim template and records an event', () => {
    const c = new ClaimCluster()
    c.addPod('web', [fromTemplate])
    c.settle()
    expect(c.events('web')).toEqual([
      'FailedResourceClaimCreation: PodResourceClaim gpu: resource claim template "template": resourceclaimtemplate.resource.k8s.io "template" not found',
    ])
    c.addTemplate()
    c.settle()
    expect(c.claims()).toHaveLength(1)
  })

  it('retries a missing claim template with backoff up to v1.35, even if the template is created in the meantime', () => {
    const c = new ClaimCluster({ controllers: [createResourceClaimController({ gates: { ignoresTemplates: true } })] })
    c.addPod('web', [fromTemplate])
    c.advance(60_000)
    c.addTemplate()
    c.settle()
    expect(c.claims()).toHaveLength(0)
    // The fourteenth retry: 5 ms, doubled each time.
    c.advance(22_000)
    expect(c.claims()).toHaveLength(1)
  })

  it('creates claims from templates although another claim of the pod is missing; up to v1.35 only claims before it', () => {
    const created = (endsAtFirstClaim: boolean) => {
      const c = new ClaimCluster({ controllers: [createResourceClaimController({ gates: { endsAtFirstClaim } })] })
      c.addTemplate()
      c.addPod('web', [shared, { ...fromTemplate, name: 'own' }])
      c.settle()
      const before = c.claims().length
      c.addClaim('shared')
      c.settle()
      return [before, c.claims().length]
    }
    expect(created(false)).toEqual([1, 2])
    expect(created(true)).toEqual([0, 2])
  })

  it('reports a rejected creation of a claim, and retries', () => {
    let refusals = 2
    const metrics = new MetricRegistry()
    const c = new ClaimCluster(
      {
        refuse: (call) =>
          call.verb === 'create' && call.resource === claimResource && refusals-- > 0
            ? failure('Forbidden', 'no more claims')
            : undefined,
      },
      metrics,
    )
    c.addTemplate()
    c.addPod('web', [fromTemplate])
    c.advance(1000)
    expect(c.events('web')).toEqual([
      'FailedResourceClaimCreation: PodResourceClaim gpu: create ResourceClaim : no more claims (x2)',
    ])
    expect(c.claims()).toHaveLength(1)
    const lines = metrics.expose().split('\n')
    const creates = 'dynamic_resource_allocation_resourceclaim_creates_total'
    expect(lines).toContain(
      `${creates}{status="failure",admin_access="false",owner_api_group="",owner_api_kind="Pod"} 2`,
    )
    expect(lines).toContain(
      'dynamic_resource_allocation_resource_claims{allocated="false",admin_access="false",source="resource_claim_template"} 1',
    )
  })

  it.each([
    [
      '1.34',
      [
        'creates_total{status="success",admin_access="false"} 1',
        'resource_claims{allocated="false",admin_access="false"} 1',
      ],
    ],
    [
      '1.36',
      [
        'creates_total{status="success",admin_access="false"} 1',
        'resource_claims{allocated="false",admin_access="false",source="resource_claim_template"} 1',
      ],
    ],
  ])('counts claims in the metrics of v%s', (version, expected) => {
    const metrics = new MetricRegistry()
    const release = must(releaseOf(version))
    const c = new ClaimCluster({ controllers: [createResourceClaimController({ release, metrics })] })
    c.addTemplate()
    c.addPod('web', [fromTemplate])
    c.settle()
    const lines = metrics
      .expose()
      .split('\n')
      .filter((line) => !line.startsWith('#') && line !== '')
    expect(lines).toEqual(expected.map((line) => `resourceclaim_controller_${line}`))
  })

  it('shortens both names in the name of a generated claim if they are long', () => {
    const c = new ClaimCluster()
    c.addTemplate()
    c.addPod('p'.repeat(60), [{ name: 'g'.repeat(30), resourceClaimTemplateName: 'template' }])
    c.settle()
    // 60 * 57 / 92 and 30 * 57 / 92 characters; the server appends five.
    expect(c.claims()[0]?.metadata.generateName).toBe(`${'p'.repeat(37)}-${'g'.repeat(18)}`)
  })

  it('creates deleted claims again after an hour, and keeps the other claims of the pod recorded', () => {
    const c = new ClaimCluster()
    c.addTemplate()
    c.addPod('web', [fromTemplate, { name: 'other', resourceClaimTemplateName: 'template' }])
    c.settle()
    const lost = c.pod('web')?.status?.resourceClaimStatuses?.[0]?.resourceClaimName ?? ''
    const kept = c.pod('web')?.status?.resourceClaimStatuses?.[1]
    c.delete(claimResource, `default/${lost}`)
    c.settle()
    expect(c.claims()).toHaveLength(1)
    expect(c.pod('web')?.status?.resourceClaimStatuses).toContainEqual(kept)
    c.advance(3_600_001)
    c.patch('pods', 'default/web', { metadata: { labels: { changed: 'yes' } } })
    c.settle()
    expect(c.claims()).toHaveLength(2)
    expect(c.claim(lost)).toBeUndefined()
    expect(c.pod('web')?.status?.resourceClaimStatuses).toEqual([
      { name: 'gpu', resourceClaimName: expect.stringMatching(/^web-gpu-/) },
      kept,
    ])
  })

  it('creates no claims for a terminating pod', () => {
    const c = new ClaimCluster()
    c.addTemplate()
    c.addPod('web', [fromTemplate])
    c.patch('pods', 'default/web', { metadata: { finalizers: ['example.com/hold'] } })
    c.delete('pods', 'default/web')
    c.settle()
    expect(c.claims()).toHaveLength(0)
  })

  it('deletes the claims of a finished pod before the pod is deleted', () => {
    const c = new ClaimCluster()
    c.addTemplate()
    const pod = c.addPod('web', [fromTemplate], { nodeName: 'node' })
    c.settle()
    c.allocate(c.claims()[0]?.metadata.name ?? '', pod)
    c.settle()
    expect(c.claims()).toHaveLength(1)
    c.patch('pods', 'default/web', { status: { phase: 'Succeeded' } }, 'status')
    c.settle()
    expect(c.claims()).toHaveLength(0)
  })
})

describe('reservations', () => {
  it('removes the reservations of a deleted pod, and deallocates the claim when no reservation is left', () => {
    const c = new ClaimCluster()
    c.addClaim('shared')
    const one = c.addPod('one', [shared], { nodeName: 'node' })
    const two = c.addPod('two', [shared], { nodeName: 'node' })
    c.allocate('shared', one, two)
    c.settle()
    c.delete('pods', 'default/one', { gracePeriodSeconds: 0 })
    c.settle()
    expect(c.claim('shared')?.status?.reservedFor).toMatchObject([{ name: 'two' }])
    expect(c.claim('shared')?.status?.allocation).toBeDefined()
    c.delete('pods', 'default/two', { gracePeriodSeconds: 0 })
    c.settle()
    expect(c.claim('shared')?.status).toEqual({})
    expect(c.claim('shared')?.metadata.finalizers).toBeUndefined()
  })

  it('removes the reservations of a pod that was replaced by a pod of the same name', () => {
    const c = new ClaimCluster()
    c.addClaim('shared')
    c.addPod('one', [])
    c.allocate('shared', { metadata: { name: 'one', uid: 'former' }, spec: { containers: [] } })
    c.settle()
    expect(c.claim('shared')?.status).toEqual({})
  })

  it('asks the API server before it removes the reservations of an unknown pod', () => {
    const c = new ClaimCluster()
    c.addClaim('shared')
    c.allocate('shared', { metadata: { name: 'ghost', uid: 'ghost' }, spec: { containers: [] } })
    c.settle()
    expect(c.claim('shared')?.status).toEqual({})
  })

  it('keeps the reservations of consumers other than pods', () => {
    const c = new ClaimCluster()
    c.addClaim('shared')
    const reservedFor = [{ apiGroup: 'example.com', resource: 'things', name: 'x', uid: 'x' }]
    c.patch(claimResource, 'default/shared', { metadata: { finalizers: [claimFinalizerName] } })
    c.patch(claimResource, 'default/shared', { status: { allocation: {}, reservedFor } }, 'status')
    c.settle()
    expect(c.claim('shared')?.status?.reservedFor).toEqual(reservedFor)
  })

  it('keeps all reservations of a claim with an unknown consumer up to v1.35', () => {
    const remaining = (refusesOtherConsumers: boolean) => {
      const controllers = [createResourceClaimController({ gates: { refusesOtherConsumers } })]
      const c = new ClaimCluster({ controllers })
      c.addClaim('shared')
      const other = { apiGroup: 'example.com', resource: 'things', name: 'x', uid: 'x' }
      const reservedFor = [{ resource: 'pods', name: 'ghost', uid: 'ghost' }, other]
      c.patch(claimResource, 'default/shared', { metadata: { finalizers: [claimFinalizerName] } })
      c.patch(claimResource, 'default/shared', { status: { allocation: {}, reservedFor } }, 'status')
      c.settle()
      return c.claim('shared')?.status?.reservedFor?.map(({ name }) => name)
    }
    expect(remaining(false)).toEqual(['x'])
    expect(remaining(true)).toEqual(['ghost', 'x'])
  })

  it('adds reservations for a pod that was bound without the scheduler', () => {
    const c = new ClaimCluster()
    c.addClaim('shared')
    const other = c.addPod('other', [shared], { nodeName: 'node' })
    c.allocate('shared', other)
    const pod = c.addPod('web', [shared], { nodeName: 'node' })
    c.settle()
    expect(c.claim('shared')?.status?.reservedFor).toContainEqual({
      resource: 'pods',
      name: 'web',
      uid: pod.metadata.uid,
    })
  })
})

describe('a claim that is deleted', () => {
  it('deallocates and releases a deleted claim when nothing reserves it', () => {
    const c = new ClaimCluster()
    c.addClaim('shared')
    c.allocate('shared')
    c.settle()
    expect(c.claim('shared')?.status?.allocation).toBeDefined()
    c.delete(claimResource, 'default/shared')
    c.settle()
    expect(c.claim('shared')).toBeUndefined()
  })

  it('keeps a deleted claim while a pod reserves it', () => {
    const c = new ClaimCluster()
    c.addClaim('shared')
    const pod = c.addPod('one', [shared], { nodeName: 'node' })
    c.allocate('shared', pod)
    c.delete(claimResource, 'default/shared')
    c.settle()
    expect(c.claim('shared')?.metadata.deletionTimestamp).toBeDefined()
    c.delete('pods', 'default/one', { gracePeriodSeconds: 0 })
    c.settle()
    expect(c.claim('shared')).toBeUndefined()
  })
})

describe('claims of extended resources', () => {
  it('removes the reservation of an extended resource claim when the pod has ended, and deletes the claim', () => {
    const c = new ClaimCluster()
    const gpu = { 'example.com/gpu': '1' }
    const containers = [{ name: 'c', image: 'i', resources: { requests: gpu, limits: gpu } }]
    const pod = c.addPod('web', [], { nodeName: 'node', containers })
    c.create(claimResource, {
      metadata: {
        name: 'web-extended',
        namespace: 'default',
        annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: pod.metadata.uid, controller: true }],
      },
      spec,
    })
    c.allocate('web-extended', pod)
    const extendedResourceClaimStatus = {
      resourceClaimName: 'web-extended',
      requestMappings: [{ containerName: 'c', resourceName: 'example.com/gpu', requestName: 'gpu' }],
    }
    c.patch('pods', 'default/web', { status: { extendedResourceClaimStatus } }, 'status')
    c.settle()
    expect(c.claim('web-extended')?.status?.reservedFor).toHaveLength(1)
    c.patch('pods', 'default/web', { status: { phase: 'Failed' } }, 'status')
    c.settle()
    expect(c.claim('web-extended')).toBeUndefined()
  })
})
