import { lookupTable } from '../../base/lookup-table.ts'
import {
  checkDriver,
  checkExtendedResourceName,
  checkFullName,
  checkLabelKey,
  checkLongName,
  checkPool,
  checkShortName,
  checkUuid,
} from './declared-formats.ts'
import type { DeclaredField, DeclaredType } from './declared-rules.ts'
import { deviceKey } from './device-claim-status.ts'
import type { Obj } from './reader.ts'
import { text } from './scalars.ts'

// The rules at stage Beta of resource.k8s.io/v1 (v1.37, pkg/apis/resource/v1 zz_generated.validations.go).

const nameOf = (item: Obj): string => text(item, 'name')
const setOf = (item: Obj): string => text(item, 'counterSet')
const uidOf = (item: Obj): string => text(item, 'uid')

const struct = (of: DeclaredType): DeclaredField => ({ kind: 'struct', of })
const requestNames: DeclaredField = { kind: 'list', max: 32, isSet: true }
const atMost = (max: number): DeclaredField => ({ kind: 'list', max })
const driver: DeclaredField = { kind: 'text', required: true, format: checkDriver }
const fullName: DeclaredField = { kind: 'text', pointer: true, format: checkFullName }
const shareId: DeclaredField = { kind: 'text', pointer: true, format: checkUuid }
const taintEffects = ['NoExecute', 'NoSchedule', 'None']

const opaque: DeclaredField = {
  kind: 'struct',
  pointer: true,
  of: { name: 'resource.OpaqueDeviceConfiguration', fields: { driver } },
}

const toleration: DeclaredType = {
  name: 'resource.DeviceToleration',
  fields: {
    key: { kind: 'text', format: checkLabelKey },
    operator: { kind: 'text', required: true, oneOf: ['Equal', 'Exists'] },
    effect: { kind: 'text', oneOf: taintEffects },
  },
}

const wanted: DeclaredType['fields'] = {
  selectors: atMost(32),
  allocationMode: { kind: 'text', oneOf: ['All', 'ExactCount'] },
  tolerations: { kind: 'list', of: toleration },
}

const subrequest: DeclaredType = {
  name: 'resource.DeviceSubRequest',
  fields: { deviceClassName: { kind: 'text', required: true, format: checkLongName }, ...wanted },
}

const request: DeclaredType = {
  name: 'resource.DeviceRequest',
  fields: {
    exactly: { kind: 'struct', pointer: true, of: { name: 'resource.ExactDeviceRequest', fields: wanted } },
    firstAvailable: { kind: 'list', max: 8, keyOf: nameOf, of: subrequest },
  },
}

const claimSpec: DeclaredType = {
  name: 'resource.ResourceClaimSpec',
  fields: {
    devices: struct({
      name: 'resource.DeviceClaim',
      fields: {
        requests: { kind: 'list', max: 32, keyOf: nameOf, of: request },
        constraints: {
          kind: 'list',
          max: 32,
          of: {
            name: 'resource.DeviceConstraint',
            fields: { requests: requestNames, matchAttribute: fullName, distinctAttribute: fullName },
          },
        },
        config: {
          kind: 'list',
          max: 32,
          of: { name: 'resource.DeviceClaimConfiguration', fields: { requests: requestNames, opaque } },
        },
      },
    }),
  },
}

const allocatedDevice: DeclaredType = {
  name: 'resource.DeviceRequestAllocationResult',
  fields: {
    driver,
    pool: { kind: 'text', required: true, format: checkPool },
    tolerations: { kind: 'list', of: toleration },
    bindingConditions: atMost(4),
    bindingFailureConditions: atMost(4),
    shareID: shareId,
  },
}

const allocation: DeclaredType = {
  name: 'resource.AllocationResult',
  fields: {
    devices: struct({
      name: 'resource.DeviceAllocationResult',
      fields: {
        results: { kind: 'list', max: 32, of: allocatedDevice },
        config: {
          kind: 'list',
          max: 64,
          of: {
            name: 'resource.DeviceAllocationConfiguration',
            fields: {
              source: { kind: 'text', required: true, oneOf: ['FromClaim', 'FromClass'] },
              requests: requestNames,
              opaque,
            },
          },
        },
      },
    }),
  },
}

const networkData: DeclaredType = {
  name: 'resource.NetworkDeviceData',
  fields: {
    interfaceName: { kind: 'text', maxBytes: 256 },
    ips: { kind: 'list', max: 16, isSet: true },
    hardwareAddress: { kind: 'text', maxBytes: 128 },
  },
}

const claimStatus: DeclaredType = {
  name: 'resource.ResourceClaimStatus',
  fields: {
    allocation: { kind: 'struct', pointer: true, fixed: 'while set', of: allocation },
    reservedFor: {
      kind: 'list',
      max: 256,
      keyOf: uidOf,
      of: { name: 'resource.ResourceClaimConsumerReference', fields: {} },
    },
    devices: {
      kind: 'list',
      keyOf: deviceKey,
      of: {
        name: 'resource.AllocatedDeviceStatus',
        fields: { shareID: shareId, networkData: { kind: 'struct', pointer: true, of: networkData } },
      },
    },
  },
}

const taint: DeclaredType = {
  name: 'resource.DeviceTaint',
  fields: { effect: { kind: 'text', required: true, oneOf: taintEffects } },
}

const counters: DeclaredField = { kind: 'map', required: true, keys: checkShortName }
const counterName: DeclaredField = { kind: 'text', required: true, format: checkShortName }

const device: DeclaredType = {
  name: 'resource.Device',
  fields: {
    attributes: {
      kind: 'map',
      of: {
        name: 'resource.DeviceAttribute',
        union: ['int', 'bool', 'string', 'version', 'ints', 'bools', 'strings', 'versions'],
        fields: {},
      },
    },
    consumesCounters: {
      kind: 'list',
      max: 2,
      keyOf: setOf,
      of: { name: 'resource.DeviceCounterConsumption', fields: { counterSet: counterName, counters } },
    },
    taints: { kind: 'list', of: taint },
    bindingConditions: atMost(4),
    bindingFailureConditions: atMost(4),
  },
}

/** The declared rules of each resource. */
export const declaredDeviceRules = lookupTable<DeclaredType>({
  'deviceclasses.resource.k8s.io': {
    name: 'resource.DeviceClass',
    fields: {
      metadata: struct({ name: 'meta.ObjectMeta', fields: { name: { kind: 'text', format: checkLongName } } }),
      spec: struct({
        name: 'resource.DeviceClassSpec',
        fields: {
          selectors: atMost(32),
          config: { kind: 'list', max: 32, of: { name: 'resource.DeviceClassConfiguration', fields: { opaque } } },
          extendedResourceName: { kind: 'text', pointer: true, format: checkExtendedResourceName },
        },
      }),
    },
  },
  'devicetaintrules.resource.k8s.io': {
    name: 'resource.DeviceTaintRule',
    fields: { spec: struct({ name: 'resource.DeviceTaintRuleSpec', fields: { taint: struct(taint) } }) },
  },
  'resourceclaims.resource.k8s.io': {
    name: 'resource.ResourceClaim',
    fields: { spec: { kind: 'struct', fixed: 'always', of: claimSpec }, status: struct(claimStatus) },
  },
  'resourceclaimtemplates.resource.k8s.io': {
    name: 'resource.ResourceClaimTemplate',
    fields: { spec: struct({ name: 'resource.ResourceClaimTemplateSpec', fields: { spec: struct(claimSpec) } }) },
  },
  'resourceslices.resource.k8s.io': {
    name: 'resource.ResourceSlice',
    fields: {
      spec: struct({
        name: 'resource.ResourceSliceSpec',
        fields: {
          devices: { kind: 'list', of: device },
          sharedCounters: {
            kind: 'list',
            max: 8,
            keyOf: nameOf,
            of: { name: 'resource.CounterSet', fields: { name: counterName, counters } },
          },
        },
      }),
    },
  },
})
