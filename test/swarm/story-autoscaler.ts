import type { JsonObject } from '../../src/api/objects/meta.ts'

/** The node group of Cluster Autoscaler in stories. */
export const groupMax = 3

const size = { cpu: '4', memory: '8Gi', pods: '20' }

export const groupTemplate = {
  metadata: { labels: { pool: 'grown', 'topology.kubernetes.io/zone': 'zone-0', 'kubernetes.io/hostname': 'x' } },
  status: { capacity: size, allocatable: size },
}

export const autoscaler: JsonObject = {
  clusterAutoscaler: { nodeGroups: [{ name: 'grown', max: groupMax, boot: '60s', template: groupTemplate }] },
}
