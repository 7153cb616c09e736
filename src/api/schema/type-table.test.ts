import { describe, expect, it } from 'vitest'
import { must } from '../../base/result.ts'
import { knownMinors, releaseOf } from '../releases/release-of.ts'
import { TypeTable } from './type-table.ts'

const text = `
package core - io.k8s.api.core.v1
Pod ...TypeMeta metadata:meta.ObjectMeta spec:PodSpec
PodSpec 20initContainers:[s]@name~ 2containers:[s]! dnsPolicy(DNSPolicy):DNSPolicy
  3...Source
Source 4hostPath:*s
Gone a:s
= s DNSPolicy(ClusterFirst|Default) Other
package meta meta.k8s.io io.k8s.apimachinery.pkg.apis.meta.v1 off
ObjectMeta name:s
`

const change = `
package core - io.k8s.api.core.v1
Source 4hostPath:*s emptyDir:b
-Gone
package apps/v1beta1 apps io.k8s.api.apps.v1beta1 off
Scale replicas:i
`

describe('a type table', () => {
  const table = new TypeTable([text])

  it('gives a field without a number the number after the previous field', () => {
    const members = table.get('core.PodSpec')?.members ?? []
    expect(
      members.map((member) => [member.number, 'field' in member ? member.field.name : member.inline.name]),
    ).toEqual([
      [20, 'initContainers'],
      [2, 'containers'],
      [3, 'dnsPolicy'],
      [3, 'Source'],
    ])
  })

  it('derives the Go name of a field by capitalization, from its type, or as written', () => {
    const names = (id: string) => [...(table.get(id)?.fields.values() ?? [])].map(({ goName }) => goName)
    expect(names('core.PodSpec')).toEqual(['InitContainers', 'Containers', 'DNSPolicy', 'HostPath'])
    expect(names('core.Pod')).toContain('ObjectMeta')
  })

  it('lists the values of an enum in a type table', () => {
    expect(table.get('core.PodSpec')?.fields.get('dnsPolicy')?.shape).toMatchObject({
      goName: 'v1.DNSPolicy',
      values: ['ClusterFirst', 'Default'],
    })
  })

  it('applies the changes of later releases to a type table', () => {
    const later = new TypeTable([text, change])
    expect([...(later.get('core.PodSpec')?.fields.keys() ?? [])]).toContain('emptyDir')
    expect(later.get('core.Gone')).toBeUndefined()
    expect(later.get('apps/v1beta1.Scale')?.goName).toBe('v1beta1.Scale')
    expect([...later.packages.values()].map(({ id, isServed }) => [id, isServed])).toEqual([
      ['core', true],
      ['meta', false],
      ['apps/v1beta1', false],
    ])
  })
})

// Fields are read on first use, so without this test the first user of the type would find an error in a table.
it.each(knownMinors)('reads every type of the tables of %s, and the fields that are always written', (minor) => {
  const { types } = must(releaseOf(minor)).api
  const always: string[] = []
  let fields = 0
  for (const pkg of types.packages.keys()) {
    for (const id of types.idsOf(pkg)) {
      const struct = types.get(id)
      if (struct === undefined) throw new Error(`${id} cannot be read`)
      fields += struct.fields.size
      const numbers = struct.members.map(({ number }) => number)
      expect(new Set(numbers).size, `${id} has a protobuf number twice`).toBe(numbers.length)
      for (const { name } of struct.always) expect(struct.fields.has(name), `${id}.${name}`).toBe(true)
      always.push(...struct.always.map(({ name }) => `${id}.${name}`))
    }
  }
  expect(fields).toBeGreaterThan(3000)
  expect(always).toContain('core.Container.name')
  expect(always).not.toContain('core.Container.image')
})
