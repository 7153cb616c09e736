import { appendFileSync } from 'node:fs'
import type { Case } from './diff-case.ts'
import type { Report } from './diff-run.ts'

interface Known {
  readonly pattern: RegExp
  readonly why: string
  /** The JSON that the request must contain for this difference. */
  readonly sent?: RegExp
}

const empty = /\[\]|\{\}|null|"remove"/

/** Known differences with their reasons. docs/compatibility.md lists the same differences for users. */
const known: readonly Known[] = [
  {
    pattern:
      /\.fieldsV1(\.f:\S+)+: real (\{\}|\{"f:\w+":\{\}\}) \| ours absent|\.fieldsV1\S+\.\.: real absent \| ours \{\}/,
    sent: empty,
    why: 'an empty list or map that is sent differs from an absent one upstream until it is stored; in berth they are the same',
  },
  {
    pattern: /update CSINode object\.metadata\.managedFields\[\]\.fieldsV1\.f:status: real absent/,
    why: 'v1.37: the status of a CSINode, which waits behind a gate, is dropped before the fields are recorded',
  },
  {
    pattern: /managedFields\[\]\.(fieldsV1\.f:(spec|status)|subresource): real/,
    sent: empty,
    why: 'the same: the owner has changed its fields, and comes later in the list',
  },
  {
    pattern: /managedFields\[\]\.(fieldsV1\.f:(spec|status)|subresource): real/,
    sent: /"derivedAttributes":/,
    why: 'the same for a field that is dropped because its gate is off',
  },
  {
    pattern: /create ResourceClaim object\.metadata\.managedFields: real \[.* \| ours absent$/,
    sent: /"requests":\[\]/,
    why: 'the same, where no other field is recorded',
  },
  { pattern: /generation: real 2 \| ours 1$/, sent: empty, why: 'the same: it counts as a change' },
  {
    pattern: /managedFields: real absent/,
    sent: /\[\]|\{\}|null|"remove"|"fieldsV1":/,
    why: 'the same: an element without a name ends the record, and so does an invalid nested record',
  },
  {
    pattern:
      /(json|merge)-patch \S+ cause (missing|extra): patch: FieldValueInvalid: Invalid value: (json: cannot unmarshal|parsing time|strict decoding error|quantities must match|unrecognized type|illegal base64|error decoding)/,
    why: 'of several values of a wrong type upstream names the first in the order in which Go has written the patched object',
  },
  {
    pattern:
      /strategic \S+ cause (missing|extra): patch: FieldValueInvalid: Invalid value: (strict decoding error|unrecognized type|json: cannot unmarshal|cannot convert|cannot restore|quantities must match)/,
    why: 'the same, in the order of a Go map; and a number that the patch did not touch is read as an integer',
  },
  {
    pattern: /cause missing: \S*ephemeralContainers\[\]\.\w+: FieldValueForbidden/,
    why: 'the same, for fields that may not be set at all',
  },
  {
    pattern: /(typed patch object|convert new object) .*(metadata\.name|\[name=|Go value of type|strconv)/,
    why: 'an applied object whose name is not a string, or whose int-or-string is neither, is refused in almost the same words',
  },
  {
    pattern: /ours 400 metadata\.managedFields must be nil/,
    sent: /"managedFields":/,
    why: 'berth says so before it looks at the rest',
  },
  {
    pattern: /(PersistentVolume|VolumeAttachment|RuntimeClass|CSINode) causes repeated: .* metadata\.uid/,
    why: 'whether a uid that changes is complained about once or twice',
  },
  {
    pattern: /DaemonSet .*strconv\.ParseInt: parsing/,
    why: 'an annotation that stands for an internal number is read as text',
  },
  {
    pattern: /strategic \S+ .*cannot convert int64 to int32/,
    why: 'upstream lets a number wrap around in a strategic merge',
  },
  { pattern: /strategic ReplicationController cause missing: spec\.minReadySeconds/, why: 'the same' },
  {
    pattern: /apply \S+ code: .* ours 500 .*cannot convert (int|float)64 to int32/,
    why: 'the same, in an applied object; or the managers of the number object first',
  },
  {
    pattern:
      /json-patch Scale (warning missing: unknown field \\"\w+\.managedFields\\"|message: real .*UID in precondition: N)/,
    why: 'a Scale has the records of managers of its object while it is patched, and its version may become a uid',
  },
  {
    pattern:
      /strategic \S+ message: real unknown patch type: \w+ in map: .* \| ours (unknown patch type|merging lists)/,
    why: 'which of two directives that make no sense is named',
  },
  {
    pattern: /Service cause (missing|extra): spec\.clusterIPs(\[\])?: FieldValueInvalid/,
    sent: /::ffff:/,
    why: 'up to v1.35 an IPv4 address written as IPv6 fails in the allocator; berth says that the cluster has no IPv6',
  },
  {
    pattern: /status Node code: real 422 .*declaredFeatures.* \| ours 200/,
    why: 'v1.35 validates declared features in the status of a node although their gate is off; berth drops them',
  },
  {
    pattern: /strategic \S+ message: real (map: .* does not contain|The order in patch list)/,
    sent: /"\$setElementOrder\/.*"\$setElementOrder\//,
    why: 'of several directives that are wrong, upstream names the first in the order of a Go map',
  },
  {
    pattern: /apply \S+ message: real failed to .*: field not declared in schema \| ours failed to .*: errors:/,
    why: 'upstream stops at an undeclared field, and reads the fields in the order of a Go map',
  },
  {
    pattern: /strategic \S+ message: real list element types are not identical/,
    why: 'upstream prints both lists as Go does',
  },
  {
    pattern: /Service code: real 500 duplicate nodePort: /,
    why: 'upstream answers 500 to two equal ports of one update; berth says which field repeats',
  },
  {
    pattern: /strategic \S+ (object\.\S+|code): real/,
    sent: /"(\w+)":\[[^\]]*\],"\$deleteFromPrimitiveList\/\1":|"\$deleteFromPrimitiveList\/(\w+)":\[[^\]]*\],"\2":/,
    why: 'a patch that sets a list and deletes from it: upstream does both in the order of a Go map, so either may be the last',
  },
  {
    pattern: /(Pod Overhead set without corresponding RuntimeClass|volumeStatus: real absent \| ours \{\})/,
    sent: empty,
    why: 'a list that is there and empty is refused where one that is absent is not',
  },
  {
    pattern:
      /(ResourceClaim|ResourceClaimTemplate|ResourceSlice) cause (missing|extra): (spec|status\.allocation|\S+nodeSelectorTerms): FieldValueInvalid: Invalid value: [{[]/,
    sent: empty,
    why: 'the same',
  },
  {
    pattern: /StatefulSet cause (missing|extra): spec\.template\.spec\.volumes\[\]/,
    why: 'upstream makes volumes of claim templates in the order of a map, so that the index of one differs from run to run',
  },
  {
    pattern:
      /ReplicaSet code: real 500 .*template\.metadata\.managedFields|PodDisruptionBudget code: real 409 .* ours 500 failed to create typed patch|strategic \S+ code: real 500 (expected slice|list element)/,
    why: 'which of several complaints about a request that makes no sense comes first',
  },
  {
    pattern: /RuntimeClass object\.overhead\.podFixed\.\S+: real "\d+[nu]"/,
    why: 'amounts finer than a thousandth are rounded up here as in pods',
  },
  {
    pattern: /Node object\.status\.config: |nodeAllocatableResourceClaimStatuses: /,
    why: 'fields behind gates that are off, which berth keeps on creation',
  },
  {
    pattern:
      /cause (missing|extra): (spec\.scopeSelector\.matchExpressions|nodeAffinity|\S+securityContext): FieldValueInvalid: Invalid value: \{/,
    sent: empty,
    why: 'an empty part of a value that is shown is shown as absent',
  },
  {
    pattern: /real 500 (invalid resource name|resource name may not be empty)/,
    why: 'upstream fails to look up a class by a name that cannot be one',
  },
  {
    pattern: /EndpointSlice object\.metadata\.generation: real 2 \| ours 1$/,
    sent: /deprecatedTopology/,
    why: 'a field that is dropped counts as a change upstream',
  },
  {
    pattern:
      /create Namespace (cause extra: metadata\.labels|object\.metadata\.(labels\.|managedFields\S*f:labels).*metadata\.name)/,
    sent: /"generateName":/,
    why: 'upstream labels a namespace with a name that it made up only after it has looked at the labels',
  },
  {
    pattern:
      /cannot be handled as a \w+: (parsing time|json: cannot unmarshal|illegal base64).* \| ours .*(parsing time|json: cannot unmarshal|illegal base64)/,
    why: 'of several values of a wrong type upstream names the last',
  },
]

function isKnown(difference: string, { body }: Case): boolean {
  const sent = JSON.stringify(body ?? null)
  return known.some((one) => one.pattern.test(difference) && (one.sent === undefined || one.sent.test(sent)))
}

/**
 * The differences that have no reason in the list, with the seed that repeats them. `DIFF_SHOW=FILE npm run test:cluster -- diff-api`
 * writes their requests and both answers.
 */
export function unexplained({ groups }: Report, elsewhere: readonly RegExp[] = []): readonly string[] {
  const left = [...groups].filter(
    ([text, group]) => !isKnown(text, group.case) && !elsewhere.some((one) => one.test(text)),
  )
  const file = process.env['DIFF_SHOW']
  if (file !== undefined && left.length > 0) {
    appendFileSync(file, left.map(([text, group]) => `${JSON.stringify({ text, ...group })}\n`).join(''))
  }
  return left.map(([text, { count, seed }]) => `${count}× ${text} [${seed}]`)
}
