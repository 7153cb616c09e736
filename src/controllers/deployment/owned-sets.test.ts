import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ReplicaSet } from '../../api/objects/workloads.ts'
import type { Change } from '../../runtime/controller.ts'
import { createReadModel } from '../../runtime/read-model.ts'
import { controllerOfKind } from '../../runtime/reconciler.ts'
import { OwnedSets } from './owned-sets.ts'

const ownerUids = ['uid-a', 'uid-b']

const references = ['a', 'b']
  .flatMap((name) => [
    { kind: 'Deployment', name },
    { kind: 'Deployment', name: `${name}-misnamed` },
    { kind: 'Other', name },
  ])
  .map(({ kind, name }) => [{ apiVersion: 'apps/v1', kind, name, uid: `uid-${name[0]}`, controller: true }])

const steps = fc.array(
  fc.record({
    name: fc.constantFrom('one', 'two', 'three'),
    ownerReferences: fc.constantFrom(undefined, ...references),
    // Status changes keep all other parts, as stored objects do.
    change: fc.constantFrom('status', 'status', 'labels', 'owner', 'gone'),
  }),
  { maxLength: 30 },
)

it('the index of owned sets equals the shared view, and wakes the referenced owners', () => {
  fc.assert(
    fc.property(steps, (history) => {
      const owned = new OwnedSets()
      const view = createReadModel()
      const ownersOf = controllerOfKind('Deployment')
      for (const { name, ownerReferences, change: what } of history) {
        const key = `x/${name}`
        const before = view.get('replicasets.apps', key)
        if (before === undefined && what === 'gone') continue
        const after = what === 'gone' ? undefined : changed(before, name, what, ownerReferences)
        const change = {
          resource: 'replicasets.apps',
          key,
          ...(before === undefined ? {} : { before }),
          ...(after === undefined ? {} : { after }),
        } as Extract<Change, { resource: 'replicasets.apps' }>
        for (const uid of ownerUids) {
          const group = owned.of(uid)
          if (group !== undefined) group.hasChanged = false
        }
        const partsBefore = ownerUids.map((uid) => parts(view.controlledBy('replicasets.apps', uid)))
        view.apply([change])
        expect([owned.note(change) ?? []].flat()).toEqual(ownersOf(change))
        ownerUids.forEach((uid, at) => {
          const sets = view.controlledBy('replicasets.apps', uid)
          const group = owned.of(uid)
          expect(group?.sets ?? []).toEqual(sets)
          const isSame = parts(sets).every((part, i) => part === partsBefore[at]?.[i])
          if (!isSame) expect(group?.hasChanged).toBe(true)
        })
      }
    }),
  )
})

/** The sets without their statuses. */
function parts(sets: readonly ReplicaSet[]): readonly unknown[] {
  return sets.flatMap(({ metadata }) => [metadata.name, metadata.labels, metadata.ownerReferences])
}

function changed(
  before: ReplicaSet | undefined,
  name: string,
  what: string,
  ownerReferences: (typeof references)[number] | undefined,
): ReplicaSet {
  const status = { replicas: (before?.status?.replicas ?? 0) + 1 }
  if (before !== undefined && what === 'status') return { ...before, metadata: { ...before.metadata }, status }
  const labels = { app: name }
  if (before !== undefined && what === 'labels') return { ...before, metadata: { ...before.metadata, labels } }
  const owners = ownerReferences === undefined ? {} : { ownerReferences }
  return { metadata: { name, namespace: 'x', uid: name, labels, ...owners }, status } as ReplicaSet
}
