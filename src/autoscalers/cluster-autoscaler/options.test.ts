import { expect, it } from 'vitest'
import { readAutoscalerOptions } from './options.ts'

it('the options of Cluster Autoscaler have the defaults of 1.36', () => {
  expect(readAutoscalerOptions({})).toMatchObject({
    ok: true,
    value: {
      expander: 'least-waste',
      'scan-interval': 10_000,
      'scale-down-unneeded-time': 600_000,
      'scale-down-utilization-threshold': 0.5,
      'max-total-unready-percentage': 45,
      'cores-total': { min: 0, max: 320_000 },
    },
  })
})

it.each([
  ['a duration', { 'scale-down-unneeded-time': '90s' }, 'scale-down-unneeded-time', 90_000],
  ['a boolean in the form of a string', { 'balance-similar-node-groups': 'true' }, 'balance-similar-node-groups', true],
  ['an integer', { 'max-nodes-total': '12' }, 'max-nodes-total', 12],
  ['a range', { 'cores-total': '4:100' }, 'cores-total', { min: 4, max: 100 }],
  ['a chain of expanders', { expander: 'priority,least-waste' }, 'expander', 'priority,least-waste'],
])('reads the value of a flag: %s', (_, flags, name, value) => {
  expect(readAutoscalerOptions(flags)).toMatchObject({ ok: true, value: { [name]: value } })
})

it('accepts flags of upstream that do not affect decisions', () => {
  expect(readAutoscalerOptions({ v: '4', 'cloud-provider': 'aws', 'leader-elect': 'true' }).ok).toBe(true)
})

it.each([
  [{ 'scan-intervall': '2s' }, 'unknown flag --scan-intervall of cluster-autoscaler; did you mean --scan-interval?'],
  [{ 'scan-interval': '2 s' }, '--scan-interval: must be a duration such as 10m, not "2 s"'],
  [{ 'cores-total': '9:3' }, '--cores-total: must be a range such as 0:320000, not "9:3"'],
  [
    { expander: 'cheapest' },
    '--expander: "cheapest" is not one of random, most-pods, least-waste, least-nodes, price, priority, grpc',
  ],
])('refuses the flags %j', (flags, message) => {
  expect(readAutoscalerOptions(flags)).toEqual({ ok: false, message })
})
