import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { expect, test } from 'vitest'
import { clusterCidrDefinition } from './cluster-cidr-definition.ts'

test('has the same ClusterCIDR definition in deploy/ as in the embedded server', () => {
  const path = new URL('../../../deploy/clustercidr-crd.yaml', import.meta.url)
  expect(load(readFileSync(path, 'utf8'))).toEqual(clusterCidrDefinition)
})
