import { describe, expect, it } from 'vitest'
import type { Container, Pod, PodStatus, ResourceList } from './objects/pod.ts'
import { type PodResourcesOptions, podLimits, podRequests, type Quantities } from './pod-resources.ts'
import { formatQuantity } from './quantity.ts'
import { schedulingRequests } from './scheduling-requests.ts'

function container(name: string, requests: ResourceList, more: Partial<Container> = {}): Container {
  return { name, resources: { requests }, ...more }
}
const sidecar = (name: string, requests: ResourceList): Container =>
  container(name, requests, { restartPolicy: 'Always' })

function pod(spec: Partial<Pod['spec']>, status?: PodStatus): Pod {
  return { metadata: { name: 'p' }, spec: { containers: [], ...spec }, ...(status === undefined ? {} : { status }) }
}
function written(quantities: Quantities): Record<string, string> {
  return Object.fromEntries([...quantities].map(([name, q]) => [name, formatQuantity(q)]))
}
function statusOf(name: string, requests: ResourceList, allocatedResources: ResourceList = requests) {
  return { name, ready: true, restartCount: 0, image: '', imageID: '', allocatedResources, resources: { requests } }
}
const infeasible = [{ type: 'PodResizePending', status: 'True' as const, reason: 'Infeasible' }]

describe('podRequests', () => {
  it.each<[string, Pod, Record<string, string>, PodResourcesOptions?]>([
    ['nothing', pod({ containers: [{ name: 'a' }] }), {}],
    [
      'requests of containers are added',
      pod({ containers: [container('a', { cpu: '100m', memory: '1Gi' }), container('b', { cpu: '1' })] }),
      { cpu: '1100m', memory: '1Gi' },
    ],
    [
      'an init container raises requests that are larger than the sum',
      pod({
        containers: [container('a', { cpu: '1', memory: '1Gi' })],
        initContainers: [container('i', { cpu: '2' })],
      }),
      { cpu: '2', memory: '1Gi' },
    ],
    [
      'the maximum of init containers counts',
      pod({ initContainers: [container('i', { cpu: '2' }), container('j', { cpu: '3' })] }),
      { cpu: '3' },
    ],
    [
      'a sidecar is added to the containers',
      pod({ containers: [container('a', { cpu: '1' })], initContainers: [sidecar('s', { cpu: '200m' })] }),
      { cpu: '1200m' },
    ],
    [
      'an init container is added to the sidecars before it, not to later sidecars',
      pod({
        containers: [container('a', { cpu: '1' })],
        initContainers: [sidecar('s', { cpu: '1' }), container('i', { cpu: '5' }), sidecar('t', { cpu: '2' })],
      }),
      { cpu: '6' },
    ],
    [
      'overhead is added',
      pod({ containers: [container('a', { cpu: '1' })], overhead: { cpu: '50m', memory: '10Mi' } }),
      { cpu: '1050m', memory: '10Mi' },
    ],
    [
      'overhead can be excluded',
      pod({ containers: [container('a', { cpu: '1' })], overhead: { cpu: '50m' } }),
      { cpu: '1' },
      { excludeOverhead: true },
    ],
    [
      'pod-level requests replace the sum for supported resources',
      pod({
        containers: [container('a', { cpu: '1', memory: '1Gi' })],
        resources: { requests: { cpu: '3', 'example.com/gpu': '1' } },
        overhead: { cpu: '1' },
      }),
      { cpu: '4', memory: '1Gi' },
    ],
    [
      'pod-level requests can be excluded',
      pod({ containers: [container('a', { cpu: '1' })], resources: { requests: { cpu: '3' } } }),
      { cpu: '1' },
      { skipPodLevel: true },
    ],
    [
      'sub-milli requests are added exactly',
      pod({ containers: [container('a', { cpu: '100u' }), container('b', { cpu: '100u' })] }),
      { cpu: '200u' },
    ],
    [
      'a resize counts the maximum of requested, allocated and actual resources',
      pod(
        { containers: [container('a', { cpu: '1', memory: '1Gi' })] },
        { containerStatuses: [statusOf('a', { cpu: '2', memory: '512Mi' }, { cpu: '500m', memory: '2Gi' })] },
      ),
      { cpu: '2', memory: '2Gi' },
      { useStatus: 'containers-and-pod' },
    ],
    [
      'the status is read only on request',
      pod({ containers: [container('a', { cpu: '1' })] }, { containerStatuses: [statusOf('a', { cpu: '2' })] }),
      { cpu: '1' },
    ],
    [
      'an infeasible resize does not count',
      pod(
        { containers: [container('a', { cpu: '8' })] },
        { containerStatuses: [statusOf('a', { cpu: '2' })], conditions: infeasible },
      ),
      { cpu: '2' },
      { useStatus: 'containers-and-pod' },
    ],
    [
      'a resize counts for sidecars, but not for other init containers',
      pod(
        { initContainers: [sidecar('s', { cpu: '1' }), container('i', { cpu: '1' })] },
        { initContainerStatuses: [statusOf('s', { cpu: '2' }), statusOf('i', { cpu: '9' })] },
      ),
      { cpu: '3' },
      { useStatus: 'containers-and-pod' },
    ],
    [
      'since v1.37 the maximum of the sums counts, not the sum of the maximums',
      pod(
        { containers: [container('a', { cpu: '3' }), container('b', { cpu: '1' })] },
        { containerStatuses: [statusOf('a', { cpu: '1' }), statusOf('b', { cpu: '2' })] },
      ),
      { cpu: '4' },
      { useStatus: 'sums' },
    ],
    [
      'since v1.37 allocated resources count without actual resources',
      pod(
        { containers: [container('a', { cpu: '1' })] },
        {
          containerStatuses: [
            { ...statusOf('a', {}), resources: undefined, allocatedResources: { cpu: '2' } } as never,
          ],
        },
      ),
      { cpu: '2' },
      { useStatus: 'sums' },
    ],
    [
      'since v1.37 the sums that the kubelet reports replace the sums of the containers',
      pod(
        { containers: [container('a', { cpu: '1' })] },
        {
          containerStatuses: [statusOf('a', { cpu: '9' })],
          resources: { requests: { cpu: '2' } },
          allocatedResources: { cpu: '3' },
        },
      ),
      { cpu: '3' },
      { useStatus: 'sums-and-pod' },
    ],
    [
      'the pod-level status does not count if its gate is off',
      pod(
        { containers: [container('a', {})], resources: { requests: { cpu: '1' } } },
        { resources: { requests: { cpu: '2' } }, allocatedResources: { cpu: '3' } },
      ),
      { cpu: '1' },
      { useStatus: 'containers' },
    ],
    [
      'a resize of pod-level resources counts',
      pod(
        { containers: [container('a', {})], resources: { requests: { cpu: '1' } } },
        { resources: { requests: { cpu: '2' } }, allocatedResources: { cpu: '3' } },
      ),
      { cpu: '3' },
      { useStatus: 'containers-and-pod' },
    ],
  ])('sums the requests of a pod: %s', (_, given, expected, options) => {
    expect(written(podRequests(given, options))).toEqual(expected)
  })
})

describe('podLimits', () => {
  const limited = (limits: ResourceList): Container => ({ name: 'a', resources: { limits } })

  it.each<[string, Pod, Record<string, string>, PodResourcesOptions?]>([
    [
      'overhead is added to limits that are set',
      pod({ containers: [limited({ cpu: '1', memory: '0' })], overhead: { cpu: '1', memory: '1Mi', pods: '1' } }),
      { cpu: '2', memory: '0' },
    ],
    [
      'pod-level limits replace the sum',
      pod({ containers: [limited({ cpu: '1' })], resources: { limits: { cpu: '4' } } }),
      { cpu: '4' },
    ],
    [
      'an infeasible resize does not change the limits',
      pod(
        { containers: [limited({ cpu: '8' })] },
        {
          conditions: infeasible,
          containerStatuses: [{ ...statusOf('a', {}), resources: { limits: { cpu: '2' } } }],
        },
      ),
      { cpu: '2' },
      { useStatus: 'containers-and-pod' },
    ],
  ])('sums the limits of a pod: %s', (_, given, expected, options) => {
    expect(written(podLimits(given, options))).toEqual(expected)
  })
})

describe('schedulingRequests', () => {
  const none = { ephemeralStorageBytes: 0, scalars: new Map() }

  it.each<[string, Pod, object]>([
    [
      'a pod without requests is scored with default requests',
      pod({ containers: [{ name: 'a' }] }),
      { cpuMilli: 0, memoryBytes: 0, ...none, nonZeroCpuMilli: 100, nonZeroMemoryBytes: 209715200 },
    ],
    [
      'explicit zeros remain zero',
      pod({ containers: [container('a', { cpu: '0', memory: '0' })] }),
      { cpuMilli: 0, memoryBytes: 0, ...none, nonZeroCpuMilli: 0, nonZeroMemoryBytes: 0 },
    ],
    [
      'every container without a request has the default',
      pod({ containers: [container('a', { cpu: '1' }), { name: 'b' }], overhead: { cpu: '1' } }),
      { cpuMilli: 2000, memoryBytes: 0, ...none, nonZeroCpuMilli: 2100, nonZeroMemoryBytes: 419430400 },
    ],
    [
      'a pod with pod-level resources has defaults only for resources that no container requests',
      pod({ containers: [{ name: 'a' }], resources: { requests: { cpu: '2' } } }),
      { cpuMilli: 2000, memoryBytes: 0, ...none, nonZeroCpuMilli: 2000, nonZeroMemoryBytes: 209715200 },
    ],
    [
      'scalars are extended resources and huge pages, but not unknown names',
      pod({
        containers: [
          container('a', { 'example.com/gpu': '2', 'hugepages-2Mi': '4Mi', weird: '1', 'ephemeral-storage': '1Gi' }),
        ],
      }),
      {
        cpuMilli: 0,
        memoryBytes: 0,
        ephemeralStorageBytes: 1073741824,
        scalars: new Map([
          ['example.com/gpu', 2],
          ['hugepages-2Mi', 4194304],
        ]),
        nonZeroCpuMilli: 100,
        nonZeroMemoryBytes: 209715200,
      },
    ],
  ])('computes the scheduling requests of a pod: %s', (_, given, expected) => {
    expect(schedulingRequests(given)).toEqual(expected)
  })

  it('computes the same scheduling requests for a plain pod with and without the shortcut', () => {
    const requests = { cpu: '250m', memory: '64Mi', 'example.com/gpu': '1', 'ephemeral-storage': '3k' }
    const plain = schedulingRequests(pod({ containers: [container('a', requests)] }))
    const summed = schedulingRequests(pod({ containers: [container('a', requests)], overhead: {} }))
    expect(plain).toEqual(summed)
  })
})
