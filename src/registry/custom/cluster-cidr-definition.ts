import type { JsonObject, KubeObject } from '../../api/objects/meta.ts'

const unchanged = (what: string): JsonObject => ({ rule: 'oldSelf == self', message: `${what} cannot be changed.` })

const range = (family: 4 | 6, example: string): JsonObject => ({
  type: 'string',
  maxLength: 64,
  description: `A range of IPv${family} addresses, for example ${example}.`,
  'x-kubernetes-validations': [
    unchanged(`IPv${family}`),
    {
      rule: `self == '' || (isCIDR(self) && cidr(self).ip().family() == ${family})`,
      message: `IPv${family} must be a valid IPv${family} CIDR.`,
    },
  ],
})

/** The block of a node is not larger than its range. */
const fits = (family: 4 | 6): JsonObject => {
  const field = `self.ipv${family}`
  const most = `${family === 4 ? 32 : 128} - cidr(${field}).prefixLength()`
  return {
    rule: `!has(${field}) || !isCIDR(${field}) || self.perNodeHostBits <= ${most}`,
    message: `PerNodeHostBits must fit into the IPv${family} range.`,
    fieldPath: '.perNodeHostBits',
  }
}

const requirements: JsonObject = {
  type: 'array',
  maxItems: 64,
  'x-kubernetes-list-type': 'atomic',
  items: {
    type: 'object',
    required: ['key', 'operator'],
    properties: {
      key: { type: 'string', maxLength: 317 },
      operator: { type: 'string', enum: ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'] },
      values: {
        type: 'array',
        maxItems: 256,
        'x-kubernetes-list-type': 'atomic',
        items: { type: 'string', maxLength: 63 },
      },
    },
  },
}

const nodeSelector: JsonObject = {
  type: 'object',
  description: 'The nodes that get blocks of these ranges. If absent, all nodes that no other ClusterCIDR selects.',
  required: ['nodeSelectorTerms'],
  'x-kubernetes-map-type': 'atomic',
  'x-kubernetes-validations': [unchanged('NodeSelector')],
  properties: {
    nodeSelectorTerms: {
      type: 'array',
      minItems: 1,
      maxItems: 64,
      description: 'All requirements of all terms must match.',
      'x-kubernetes-list-type': 'atomic',
      items: {
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        properties: { matchExpressions: requirements, matchFields: requirements },
      },
    },
  },
}

const spec: JsonObject = {
  type: 'object',
  description: 'The spec cannot be changed. Create another ClusterCIDR, and delete this one.',
  required: ['perNodeHostBits'],
  'x-kubernetes-validations': [
    {
      rule: "has(self.ipv4) && self.ipv4 != '' || has(self.ipv6) && self.ipv6 != ''",
      message: 'A CIDR must be specified for ipv4 or ipv6.',
    },
    {
      rule: 'has(self.ipv4) == has(oldSelf.ipv4) && has(self.ipv6) == has(oldSelf.ipv6) && has(self.nodeSelector) == has(oldSelf.nodeSelector)',
      message: 'The fields of a ClusterCIDR cannot be changed.',
    },
    fits(4),
    fits(6),
  ],
  properties: {
    ipv4: range(4, '10.0.0.0/8'),
    ipv6: range(6, 'fd00::/48'),
    perNodeHostBits: {
      type: 'integer',
      format: 'int32',
      minimum: 4,
      description:
        'The size of the block of a node in host bits. 8 bits are the 256 addresses of a /24 for IPv4, or of a /120 for IPv6.',
      'x-kubernetes-validations': [unchanged('PerNodeHostBits')],
    },
    nodeSelector,
  },
}

const column = (name: string, type: string, jsonPath: string): JsonObject => ({ name, type, jsonPath })

/**
 * ClusterCIDR as in sigs.k8s.io/node-ipam-controller. An embedded control plane defines it for the allocator with
 * several ranges; on other clusters, apply deploy/clustercidr-crd.yaml, which is the same. A schema cannot express that
 * ranges do not overlap; the controller rejects overlapping ranges.
 */
export const clusterCidrDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'clustercidrs.networking.x-k8s.io' },
  spec: {
    group: 'networking.x-k8s.io',
    names: {
      kind: 'ClusterCIDR',
      listKind: 'ClusterCIDRList',
      plural: 'clustercidrs',
      singular: 'clustercidr',
      shortNames: ['cc'],
    },
    scope: 'Cluster',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [
          column('PerNodeHostBits', 'integer', '.spec.perNodeHostBits'),
          column('IPv4', 'string', '.spec.ipv4'),
          column('IPv6', 'string', '.spec.ipv6'),
          column('Age', 'date', '.metadata.creationTimestamp'),
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'Address ranges from which the selected nodes get their blocks.',
            required: ['spec'],
            properties: {
              apiVersion: { type: 'string' },
              kind: { type: 'string' },
              metadata: { type: 'object' },
              spec,
            },
          },
        },
      },
    ],
  },
} as const satisfies KubeObject & JsonObject
