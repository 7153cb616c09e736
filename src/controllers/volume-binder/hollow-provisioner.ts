import { inTreePluginNamed } from '../../api/csi-migration.ts'
import type { Node, NodeSelectorRequirement, NodeSelectorTerm } from '../../api/objects/node.ts'
import type { CSINode, PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../api/objects/storage.ts'
import { classOfClaim, referenceToClaim } from '../../api/persistent-volumes.ts'
import { annotations, labels } from '../../api/well-known.ts'

export const noProvisioner = 'kubernetes.io/no-provisioner'

/** The provisioner of a class. If a CSI driver has replaced the in-tree plugin, the driver. */
export function provisionerOf({ provisioner }: StorageClass): string {
  return inTreePluginNamed(provisioner)?.driver ?? provisioner
}

export function provisionedName({ metadata }: PersistentVolumeClaim): string {
  return `pvc-${metadata.uid ?? ''}`
}

/** The topology of a new volume: the node that the scheduler selected, if any. */
export interface Site {
  readonly node: Node
  readonly csiNode: CSINode | undefined
}

/** An empty volume, as a CSI driver and its provisioner would create it. */
export function hollowVolume(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  site: Site | undefined,
): PersistentVolume {
  const driver = provisionerOf(storageClass)
  const name = provisionedName(claim)
  const terms = site === undefined ? allowedTerms(storageClass) : termsAt(site, storageClass, driver)
  const { accessModes, volumeMode, resources, volumeAttributesClassName } = claim.spec
  const { mountOptions, reclaimPolicy = 'Delete' } = storageClass
  const storage = resources?.requests?.['storage']
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { [annotations.provisionedBy]: driver } },
    spec: {
      ...(storage === undefined ? {} : { capacity: { storage } }),
      ...(accessModes === undefined ? {} : { accessModes }),
      claimRef: referenceToClaim(claim),
      csi: { driver, volumeHandle: name },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: classOfClaim(claim),
      ...(volumeMode === undefined ? {} : { volumeMode }),
      ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
      ...(mountOptions === undefined ? {} : { mountOptions }),
      ...(terms.length === 0 ? {} : { nodeAffinity: { required: { nodeSelectorTerms: terms } } }),
    },
  }
}

/**
 * The topology segment of the node: the labels of its driver, or the labels that the class names, or its zone. Volumes
 * of a node without these labels are reachable from every node.
 */
function termsAt(
  { node, csiNode }: Site,
  { allowedTopologies = [] }: StorageClass,
  driver: string,
): NodeSelectorTerm[] {
  const ofDriver = csiNode?.spec.drivers.find(({ name }) => name === driver)?.topologyKeys ?? []
  const ofClass = allowedTopologies.flatMap(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.map(({ key }) => key),
  )
  const keys = ofDriver.length > 0 ? ofDriver : ofClass.length > 0 ? ofClass : [labels.zone]
  const matchExpressions: NodeSelectorRequirement[] = []
  for (const key of new Set(keys)) {
    const value = node.metadata.labels?.[key]
    if (value !== undefined) matchExpressions.push({ key, operator: 'In', values: [value] })
  }
  return matchExpressions.length === 0 ? [] : [{ matchExpressions }]
}

function allowedTerms({ allowedTopologies = [] }: StorageClass): NodeSelectorTerm[] {
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.length === 0
      ? []
      : [
          {
            matchExpressions: matchLabelExpressions.map(({ key, values }) => ({
              key,
              operator: 'In' as const,
              values,
            })),
          },
        ],
  )
}
