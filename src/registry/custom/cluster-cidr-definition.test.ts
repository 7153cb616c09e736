import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { expect, test } from 'vitest'
import { clusterCidrDefinition } from './cluster-cidr-definition.ts'

test('what is to be applied elsewhere is what the embedded server defines', () => {
  const path = new URL('../../../deploy/clustercidr-crd.yaml', import.meta.url)
  expect(load(readFileSync(path, 'utf8'))).toEqual(clusterCidrDefinition)
})
