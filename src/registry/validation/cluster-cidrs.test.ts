import { describe, expect, it } from 'vitest'
import type { FieldError } from '../field-error.ts'
import { checkClusterCidr, checkClusterCidrUpdate } from './cluster-cidrs.ts'

const object = (spec: object) => ({
  apiVersion: 'networking.x-k8s.io/v1',
  kind: 'ClusterCIDR',
  metadata: { name: 'a', resourceVersion: '1' },
  spec,
})
const shown = (errors: readonly FieldError[]) => errors.map(({ field, message }) => `${field}: ${message}`)

describe('a ClusterCIDR', () => {
  it.each([
    [{ perNodeHostBits: 8, ipv4: '10.0.0.0/16' }, []],
    [{ perNodeHostBits: 8, ipv4: '10.0.0.0/16', ipv6: 'fd00::/112' }, []],
    [{ perNodeHostBits: 8 }, ['spec: Required value: one or both of `ipv4` and `ipv6` must be specified']],
    [
      { perNodeHostBits: 8, ipv4: '10.0.0.0' },
      ['spec.IPv4: Invalid value: "10.0.0.0": must be a valid CIDR: 10.0.0.0'],
    ],
    [{ perNodeHostBits: 8, ipv4: 'fd00::/24' }, ['spec.IPv4: Invalid value: "fd00::/24": must be a valid IPv4 CIDR']],
    [
      { perNodeHostBits: 3, ipv4: '10.0.0.0/16' },
      ['spec.perNodeHostBits: Invalid value: 3: must be greater than or equal to 4'],
    ],
    [
      { perNodeHostBits: 17, ipv4: '10.0.0.0/16' },
      ['spec.perNodeHostBits: Invalid value: 17: must be less than or equal to 16'],
    ],
    [
      { perNodeHostBits: 8, ipv4: '10.0.0.0/16', nodeSelector: { nodeSelectorTerms: [] } },
      ['spec.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term'],
    ],
  ])('%j is judged as upstream judges it', (spec, errors) => {
    const found: FieldError[] = []
    checkClusterCidr(found, object(spec))
    expect(shown(found)).toEqual(errors)
  })

  it('cannot be changed', () => {
    const before = { perNodeHostBits: 8, ipv4: '10.0.0.0/16' }
    const found: FieldError[] = []
    checkClusterCidrUpdate(found, object({ ...before, ipv4: '10.1.0.0/16', ipv6: 'fd00::/112' }), object(before))
    expect(shown(found)).toEqual([
      'spec.ipv4: Invalid value: "10.1.0.0/16": field is immutable',
      'spec.ipv6: Invalid value: "fd00::/112": field is immutable',
    ])
    checkClusterCidrUpdate([], object(before), object(before))
  })
})
