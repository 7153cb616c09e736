import { describe, expect, it } from 'vitest'
import { pod } from '../small-cluster.fixture.ts'
import { createPodParser } from './pod-parser.ts'

describe('pod shapes', () => {
  const { parse } = createPodParser()

  it('pods that differ only in name, priority and fields that plugins do not read share a shape', () => {
    const a = parse(pod('a', { cpu: '1', labels: { app: 'web' }, priority: 1, serviceAccountName: 'x' }))
    const b = parse(
      pod('b', { cpu: '1', labels: { app: 'web' }, priority: 2, volumes: [{ name: 'kube-api-access-1' }] }),
    )
    expect(a.shape).toBe(b.shape)
    expect([a.priority, b.priority]).toEqual([1, 2])
  })

  it.each([
    ['requests', { cpu: '2' }],
    ['labels', { labels: { app: 'db' } }],
    ['namespace', { namespace: 'prod' }],
    ['node selector', { nodeSelector: { disk: 'ssd' } }],
    ['tolerations', { tolerations: [{ operator: 'Exists' as const }] }],
    ['host network', { hostNetwork: true }],
    ['claims', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] }],
  ])('pods have different shapes when they differ in %s', (_, words) => {
    const base = { cpu: '1', labels: { app: 'web' } }
    expect(parse(pod('a', { ...base, ...words })).shape).not.toBe(parse(pod('a', base)).shape)
  })

  it('a shape has separate ids for the spec and the identity', () => {
    const a = parse(pod('a', { cpu: '1', labels: { app: 'web' } })).shape
    const b = parse(pod('b', { cpu: '1', labels: { app: 'db' } })).shape
    expect(a.specId).toBe(b.specId)
    expect(a.identityId).not.toBe(b.identityId)
  })

  it('spec ids ignore images and container ports without a host port', () => {
    const container = (image: string, containerPort: number) => ({
      containers: [{ name: 'c', image, ports: [{ containerPort }] }],
    })
    const a = parse({ ...pod('a'), spec: container('app:1', 80) }).shape
    const b = parse({ ...pod('b'), spec: container('app:2', 90) }).shape
    expect(a.specId).toBe(b.specId)
    expect(a.imagesId).not.toBe(b.imagesId)
    expect(a).not.toBe(b)
  })

  it('a pod keeps its shape when it is bound or starts to run', () => {
    const pending = pod('a', { cpu: '1', labels: { app: 'web' } })
    const known = parse(pending)
    const bound = { ...pending, spec: { ...pending.spec, nodeName: 'n1' }, status: { phase: 'Running' as const } }
    expect(parse(bound, known).shape).toBe(known.shape)
  })

  it('a shape contains claims, sidecar ports and affinity terms with their namespaces', () => {
    const { shape } = parse(
      pod('a', {
        initContainers: [
          { name: 'init', ports: [{ containerPort: 1, hostPort: 1 }] },
          { name: 'sidecar', restartPolicy: 'Always', ports: [{ containerPort: 2, hostPort: 2, protocol: 'UDP' }] },
        ],
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] } },
      }),
    )
    expect(shape.hostPorts).toEqual([{ protocol: 'UDP', ip: '0.0.0.0', port: 2 }])
    expect(shape.claims).toEqual(['default/data'])
    expect([...(shape.requiredAffinity[0]?.namespaces ?? [])]).toEqual(['default'])
  })

  it('a shape reports affinity terms that cannot be parsed', () => {
    const broken = {
      topologyKey: 'zone',
      labelSelector: { matchExpressions: [{ key: 'a', operator: 'Near' as 'In' }] },
    }
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [broken] } }
    expect(parse(pod('a', { affinity })).shape.termProblem).toBe(
      'requiredAntiAffinityTerms: "Near" is not a valid label selector operator',
    )
  })
})
