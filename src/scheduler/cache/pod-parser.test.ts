import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Pod } from '../../api/objects/pod.ts'
import type { ParsedPod } from '../contract/parsed-pod.ts'
import { pod } from '../small-cluster.fixture.ts'
import { createPodParser } from './pod-parser.ts'

interface Edit {
  readonly at: number
  readonly part: 'zone' | 'node' | 'owner' | 'cpu' | 'image' | 'claim' | 'given' | 'phase' | 'deletion' | 'recreated'
  readonly value: number
}

const edits = fc.array(
  fc.record<Edit>({
    at: fc.integer({ min: 0, max: 4 }),
    part: fc.constantFrom('zone', 'node', 'owner', 'cpu', 'image', 'claim', 'given', 'phase', 'deletion', 'recreated'),
    value: fc.integer({ min: 0, max: 2 }),
  }),
  { maxLength: 60 },
)

// Edits a pod as a store does: unchanged parts keep their identity.
function edited(before: Pod, { part, value }: Edit): Pod {
  const { metadata, spec, status } = before
  const [container = { name: 'c' }] = spec.containers
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `rs-${value}`, uid: `rs-${value}`, controller: true }
  switch (part) {
    case 'zone':
      return { ...before, metadata: { ...metadata, labels: { app: 'web', zone: `z${value}` } } }
    case 'node':
      return { ...before, spec: { ...spec, nodeName: `n${value}` } }
    case 'owner':
      return { ...before, metadata: { ...metadata, ...(value > 0 && { ownerReferences: [owner] }) } }
    case 'cpu':
      return withContainer(before, { ...container, resources: { requests: { cpu: `${value}` } } })
    case 'image':
      return withContainer(before, { ...container, image: `app:${value}` })
    case 'claim':
      return {
        ...before,
        spec: { ...spec, volumes: [{ name: 'v', persistentVolumeClaim: { claimName: `c${value}` } }] },
      }
    case 'given': {
      const given = value === 0 ? {} : { resources: { requests: { cpu: `${value}` } } }
      const containerStatuses = [{ name: 'c', image: '', imageID: '', ready: true, restartCount: 0, ...given }]
      return { ...before, status: { ...status, containerStatuses } }
    }
    case 'phase':
      return { ...before, status: { ...status, phase: value === 0 ? 'Pending' : 'Running' } }
    case 'deletion':
      return { ...before, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
    case 'recreated':
      return structuredClone(before)
  }
}

function withContainer(before: Pod, container: Pod['spec']['containers'][number]): Pod {
  return { ...before, spec: { ...before.spec, containers: [container] } }
}

/** All fields of the pods above that are part of a shape. */
function signature({ metadata, spec, status }: Pod): string {
  const [container] = spec.containers
  const { namespace, labels, ownerReferences } = metadata
  const identity = [namespace, labels?.['zone'], ownerReferences?.[0]?.name]
  const claim = spec.volumes?.[0]?.persistentVolumeClaim?.claimName
  const given = status?.containerStatuses?.[0]?.resources?.requests?.cpu
  return JSON.stringify([identity, container?.image, container?.resources?.requests?.cpu, claim, given])
}

it('gives two pods the same shape if and only if all fields that plugins read are equal', () => {
  fc.assert(
    fc.property(edits, fc.boolean(), (list, knowsBefore) => {
      const { parse } = createPodParser()
      const labels = { app: 'web' }
      const pods = [0, 1, 2, 3, 4].map((i) =>
        pod(`p${i}`, { cpu: '1', labels, namespace: i < 4 ? 'default' : 'other' }),
      )
      const parsed: ParsedPod[] = pods.map((one) => parse(one))
      for (const edit of list) {
        const after = edited(pods[edit.at] as Pod, edit)
        pods[edit.at] = after
        parsed[edit.at] = knowsBefore ? parse(after, parsed[edit.at]) : parse(after)
        const { shape, isTerminating } = parsed[edit.at] as ParsedPod
        expect(isTerminating).toBe(after.metadata.deletionTimestamp !== undefined)
        expect(shape.labels).toEqual(after.metadata.labels)
        pods.forEach((other, i) => {
          expect(parsed[i]?.shape === shape).toBe(signature(other) === signature(after))
        })
      }
    }),
  )
})
