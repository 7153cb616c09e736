/** Differences that are understood, and stay: what they are, and why. docs/compatibility.md says the same to users. */
const known: readonly (readonly [pattern: RegExp, why: string])[] = [
  [
    /(Job|VolumeAttachment|CSINode|PersistentVolume) cause (missing|extra): (spec\.\w+|spec|nodeAffinity): FieldValueInvalid: .*immutable/,
    'a value that may not change is shown as the Go struct of an internal type, which differs from the JSON of the API',
  ],
  [
    /\.fieldsV1\.f:\S+: real \{.*\} \| ours absent|generation: real 2 \| ours 1|managedFields: real absent/,
    'an empty list or map that is sent is told from an absent one upstream until it is stored; berth never tells them apart',
  ],
  [
    /(json|merge)-patch \S+ cause (missing|extra): patch:/,
    'of several values of a wrong type upstream names the first in the order in which Go has written the patched object',
  ],
  [
    /cause missing: \S*ephemeralContainers\[\]\.\w+: FieldValueForbidden/,
    'the same, for fields that may not be set at all',
  ],
  [
    /(typed patch object|convert new object) .*(metadata\.name|\[name=|Go value of type|strconv)|ours 400 metadata\.managedFields must be nil/,
    'an applied object whose name is no text, or whose int-or-string is neither, is refused in almost the same words',
  ],
  [/causes repeated: .* metadata\.uid/, 'whether a uid that changes is complained about once or twice'],
  [/strconv\.ParseInt: parsing/, 'an annotation that stands for an internal number is read as text'],
  [/cannot convert int64 to int32/, 'upstream lets a number wrap around in a strategic merge'],
  [/strategic ReplicationController cause missing: spec\.minReadySeconds/, 'the same'],
  [/duplicate nodePort: /, 'upstream answers 500 to two equal ports of one update; berth says which field repeats'],
  [
    /status Pod (cause missing|code: real 422 .*): .*extendedResourceClaimStatus|status Pod .*allocatedResourcesStatus/,
    'dynamic resource allocation is not part of berth',
  ],
  [
    /strategic \S+ warning missing: unknown field .*\$/,
    'directives that were left in a patch are dropped without a word',
  ],
  [
    /StatefulSet cause (missing|extra): spec\.template\.spec\.volumes\[\]/,
    'upstream makes volumes of claim templates in the order of a map, so that the index of one differs from run to run',
  ],
  [/real 500 invalid resource name/, 'upstream fails to look up a class by a name that cannot be one'],
  [/json-patch \S+ object\.\S+: real "\d+" \| ours "\d+"/, 'a version that was copied into another field'],
  [/json-patch \S+ message: real the name of the object \(<time>\)/, 'a time that was copied into another field'],
]

export const isKnown = (difference: string): boolean => known.some(([pattern]) => pattern.test(difference))
