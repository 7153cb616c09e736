import { expect, it } from 'vitest'
import { defaultedSpec } from './defaulted-template.fixture.ts'
import { revisionHash } from './revision-hash.ts'

const data = {
  spec: { template: { metadata: { labels: { app: 'db' } }, spec: defaultedSpec(), $patch: 'replace' } },
}

it('computes the hash of a StatefulSet revision like kube-controller-manager v1.36.4', () => {
  expect(revisionHash(data, 0)).toBe('c746b47')
})

it('includes the collision count in the hash of a revision', () => {
  expect(revisionHash(data, 1)).not.toBe(revisionHash(data, 0))
})

it('computes the same hash of a revision for any order of fields', () => {
  const reversed = { spec: { template: Object.fromEntries(Object.entries(data.spec.template).reverse()) } }
  expect(revisionHash(reversed, 0)).toBe(revisionHash(data, 0))
})
