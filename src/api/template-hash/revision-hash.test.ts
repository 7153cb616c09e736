import { expect, it } from 'vitest'
import { defaultedSpec } from './defaulted-template.fixture.ts'
import { revisionHash } from './revision-hash.ts'

const data = {
  spec: { template: { metadata: { labels: { app: 'db' } }, spec: defaultedSpec(), $patch: 'replace' } },
}

it('names the revision of a StatefulSet as kube-controller-manager v1.36.4 named it', () => {
  expect(revisionHash(data, 0)).toBe('c746b47')
})

it('counts collisions', () => {
  expect(revisionHash(data, 1)).not.toBe(revisionHash(data, 0))
})

it('does not look at the order of fields', () => {
  const reversed = { spec: { template: Object.fromEntries(Object.entries(data.spec.template).reverse()) } }
  expect(revisionHash(reversed, 0)).toBe(revisionHash(data, 0))
})
