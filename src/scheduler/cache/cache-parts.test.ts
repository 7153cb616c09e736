import { describe, expect, it } from 'vitest'
import { matcherFromMap } from '../../api/label-selector.ts'
import { ChangeLog, changeKinds } from '../columns/table/change-log.ts'
import { HostPorts } from '../columns/table/host-ports.ts'
import { LabelClasses } from '../columns/table/label-classes.ts'
import { NodeTable } from '../columns/table/node-table.ts'
import { NodeTree } from '../columns/table/node-tree.ts'
import type { PlacedShapes } from '../columns/table/placed-shapes.ts'
import { node, pod } from '../small-cluster.fixture.ts'
import { createPodParser } from './pod-parser.ts'

describe('NodeTree', () => {
  const inZone = (name: string, zone: string) => node(name, { labels: { 'topology.kubernetes.io/zone': zone } })

  it('lists nodes round-robin over zones, in the order of addition', () => {
    const tree = new NodeTree()
    for (const one of [inZone('a1', 'a'), inZone('a2', 'a'), inZone('a3', 'a'), inZone('b1', 'b'), node('c1')])
      tree.add(one)
    expect(tree.list()).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
  })

  it('keeps the position of a node that stays in its zone and moves a node that changes its zone', () => {
    const tree = new NodeTree()
    const first = inZone('a1', 'a')
    for (const one of [first, inZone('a2', 'a'), inZone('b1', 'b')]) tree.add(one)
    tree.update(first, { ...first, metadata: { ...first.metadata, annotations: { x: 'y' } } })
    expect(tree.list()).toEqual(['a1', 'b1', 'a2'])
    tree.update(first, inZone('a1', 'b'))
    expect(tree.list()).toEqual(['a2', 'b1', 'a1'])
  })

  it('removes a zone with its last node', () => {
    const tree = new NodeTree()
    tree.add(inZone('a1', 'a'))
    tree.add(inZone('b1', 'b'))
    tree.remove(inZone('a1', 'a'))
    expect(tree.list()).toEqual(['b1'])
  })
})

describe('PlacedShapes', () => {
  const { parse } = createPodParser()
  const web = matcherFromMap({ app: 'web' })
  const labelled = (name: string, app: string, more: object = {}) => {
    const made = pod(name, { cpu: '1', nodeName: 'n1', labels: { app } })
    return parse({ ...made, metadata: { ...made.metadata, ...more } })
  }

  it('counts pods placed before and after its creation until they are removed', () => {
    const table = new NodeTable()
    const first = labelled('a', 'web')
    const n1 = table.addPod('n1', first)
    const placed = table.placed()
    const n2 = table.addPod('n2', labelled('b', 'web'))
    table.addPod('n2', labelled('c', 'db'))
    expect([...placed.selectedBy('default', web, 'web')].map(({ shape }) => shape)).toEqual([first.shape])
    expect([...placed.rowsOf(first.shape)]).toEqual([0, 1])
    table.removePod(n1, first)
    expect([...placed.rowsOf(first.shape)]).toEqual([1])
    table.removePod(n2, labelled('b', 'web'))
    expect([...placed.selectedBy('default', web, 'web')]).toEqual([])
    expect([...placed.selectedBy('other', web, 'other web')]).toEqual([])
  })

  it('counts terminating pods separately from staying pods', () => {
    const table = new NodeTable()
    const placed = table.placed()
    const staying = labelled('a', 'web')
    const leaving = labelled('a', 'web', { deletionTimestamp: '2026-01-01T00:00:00Z' })
    const stayingOf = (all: PlacedShapes) =>
      [...all.selectedBy('default', web, 'web')].flatMap((one) => [...one.staying])
    const n1 = table.addPod('n1', staying)
    expect(stayingOf(placed)).toEqual([[0, 1]])
    table.replacePod(n1, staying, leaving)
    expect(stayingOf(placed)).toEqual([])
    expect([...placed.rowsOf(staying.shape)]).toEqual([0])
  })
})

describe('HostPorts', () => {
  const port = (number: number, ip = '0.0.0.0', protocol = 'TCP') => ({ port: number, ip, protocol })

  it.each([
    ['the same port on all addresses', port(80), port(80), true],
    ['a port on one address, and the same on all', port(80, '10.0.0.1'), port(80), true],
    ['a port on all addresses, and the same on one', port(80), port(80, '10.0.0.1'), true],
    ['the same port on two addresses', port(80, '10.0.0.1'), port(80, '10.0.0.2'), false],
    ['the same port of two protocols', port(80), port(80, '0.0.0.0', 'UDP'), false],
    ['two ports', port(80), port(81), false],
  ])('%s: collides %#', (_, used, wanted, collides) => {
    const ports = new HostPorts()
    ports.add(used)
    expect(ports.collides(wanted)).toBe(collides)
    expect(ports.free([wanted])).toBe(!collides)
    ports.remove(used)
    expect(ports.collides(wanted)).toBe(false)
  })
})

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

describe('ChangeLog', () => {
  it('drops the oldest entries and reports that a position is no longer available', () => {
    const log = new ChangeLog()
    log.follow()
    for (let i = 0; i < 70_000; i++) log.push(changeKinds.node, i)
    expect(log.end).toBe(70_000)
    expect(log.reaches(0)).toBe(false)
    expect(log.reaches(60_000)).toBe(true)
    expect(log.rowAt(60_000)).toBe(60_000)
  })

  it('counts changes before the first reader and keeps changes after it', () => {
    const log = new ChangeLog()
    log.push(changeKinds.node, 1)
    log.push(changeKinds.node, 2)
    expect(log.end).toBe(2)
    expect(log.follow()).toBe(2)
    log.push(changeKinds.node, 3)
    expect([log.reaches(1), log.reaches(2), log.end, log.rowAt(2)]).toEqual([false, true, 3, 3])
  })
})

describe('label columns', () => {
  it('number values densely and list the rows of each value', () => {
    const table = new NodeTable()
    const zone = table.label('zone')
    table.setNode(node('n1', { labels: { zone: 'a' } }))
    table.setNode(node('n2', { labels: { zone: 'b' } }))
    table.setNode(node('n3', { labels: { zone: 'a' } }))
    table.setNode(node('n4'))
    expect([...zone.ids.slice(0, 4)]).toEqual([1, 2, 1, 0])
    expect(zone.rowsOf(1)).toEqual([0, 2])
    expect(zone.distinct).toBe(2)
    table.dropNode('n2')
    expect(zone.distinct).toBe(1)
  })

  it('are filled on first use, and classes of several labels get equal ids for equal values', () => {
    const table = new NodeTable()
    table.setNode(node('n1', { labels: { zone: 'a', disk: 'ssd' } }))
    table.setNode(node('n2', { labels: { zone: 'a', disk: 'hdd' } }))
    table.setNode(node('n3', { labels: { zone: 'a', disk: 'ssd' } }))
    const classes = new LabelClasses(table, ['zone', 'disk'])
    expect(classes.of(0)).toBe(classes.of(2))
    expect(classes.of(0)).not.toBe(classes.of(1))
  })
})
