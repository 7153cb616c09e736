import { expect, it } from 'vitest'
import { karpenterLimits, readKarpenterOptions } from './options.ts'

it('the options of Karpenter have the defaults of v1.14', () => {
  expect(readKarpenterOptions({})).toMatchObject({ ok: true, value: { batchIdleMs: 1_000, batchMaxMs: 10_000 } })
  expect(karpenterLimits({})).toEqual([])
})

it('accepts a feature gate that is not implemented, and reads the others', () => {
  const flags = { 'feature-gates': 'CapacityBuffer=true,NodeRepair=true' }
  expect(readKarpenterOptions(flags)).toMatchObject({ ok: true, value: { gates: { NodeRepair: true } } })
  expect(karpenterLimits(flags)).toEqual([
    'feature gate CapacityBuffer of Karpenter: capacity buffers are not forecast',
  ])
})

it('reports a flag that makes Karpenter read device claims', () => {
  expect(karpenterLimits({ 'ignore-dra-requests': 'true' })).toEqual([])
  expect(karpenterLimits({ 'ignore-dra-requests': 'false' })).toEqual([
    '--ignore-dra-requests=false of Karpenter: Karpenter creates no nodes for pods with device claims, as by default',
  ])
})

it.each([
  ['Unknown=true', '--feature-gates: unknown feature gate Unknown'],
  ['CapacityBuffer=yes', '--feature-gates: feature gate CapacityBuffer must be true or false'],
])('refuses the feature gates %s of Karpenter', (gates, message) => {
  expect(readKarpenterOptions({ 'feature-gates': gates })).toEqual({ ok: false, message })
})
