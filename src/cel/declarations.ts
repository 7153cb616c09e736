import { lookupTable } from '../base/lookup-table.ts'
import { type CelType, listOf, mapOf, optionalOf, type SimpleName, simple } from './cel-type.ts'

/** One overload of a function. */
export interface Overload {
  readonly id: string
  readonly isMember: boolean
  /** The receiver comes first, if there is one. */
  readonly params: readonly CelType[]
  readonly result: CelType
  readonly parameters: ReadonlySet<string>
}

/** The `includes` of v1.36, which refuses lists of more than 48 values. */
export const limitedIncludes = '@limitedIncludes'

/**
 * Every function of the CEL environment of v1.36 (apiserver, cel/environment): the standard library, the extensions for
 * strings, sets, lists and optionals, and the libraries of Kubernetes. Only device selectors have the function
 * `includes`: v1.36 has one that is limited to 48 values. `name: receiver.(arguments) result #overload`.
 */
const table = `
_?_:_: (bool,A,A) A #conditional
_&&_: (bool,bool) bool #logical_and
_||_: (bool,bool) bool #logical_or
!_: (bool) bool #logical_not
@not_strictly_false: (bool) bool #not_strictly_false
_==_: (A,A) bool #equals
_!=_: (A,A) bool #not_equals
_+_: (bytes,bytes) bytes #add_bytes | (double,double) double | (duration,duration) duration | (duration,timestamp) timestamp | (timestamp,duration) timestamp | (int,int) int | (list(A),list(A)) list(A) #add_list | (string,string) string #add_string | (uint,uint) uint
_-_: (double,double) double | (duration,duration) duration | (int,int) int | (timestamp,duration) timestamp | (timestamp,timestamp) duration | (uint,uint) uint
_*_: (double,double) double | (int,int) int | (uint,uint) uint
_/_: (double,double) double | (int,int) int | (uint,uint) uint
_%_: (int,int) int | (uint,uint) uint
-_: (double) double | (int) int
@in: (A,list(A)) bool #in_list | (A,map(A,B)) bool #in_map
_[_]: (list(A),int) A #index_list | (map(A,B),A) B #index_map | (optional(list(A)),int) optional(A) #optional_list_index_int | (optional(map(A,B)),A) optional(B) #optional_map_index_value
_[?_]: (list(A),int) optional(A) #list_optindex_optional_int | (optional(list(A)),int) optional(A) | (map(A,B),A) optional(B) #map_optindex_optional_value | (optional(map(A,B)),A) optional(B)
size: (bytes) int | bytes.() int | (list(A)) int | list(A).() int | (map(A,B)) int | map(A,B).() int | (string) int | string.() int
type: (A) type(A)
dyn: (A) dyn
bool: (bool) bool | (string) bool
bytes: (bytes) bytes | (string) bytes #string_to_bytes
double: (double) double | (int) double | (string) double | (uint) double
duration: (duration) duration | (int) duration | (string) duration
int: (int) int | (double) int | (duration) int | (string) int | (timestamp) int | (uint) int
string: (string) string | (bool) string | (bytes) string #bytes_to_string | (double) string | (duration) string | (int) string | (timestamp) string | (uint) string | (IP) string | (CIDR) string
timestamp: (timestamp) timestamp | (int) timestamp | (string) timestamp
uint: (uint) uint | (double) uint | (int) uint | (string) uint
contains: string.(string) bool #contains_string
endsWith: string.(string) bool #ends_with_string
startsWith: string.(string) bool #starts_with_string
matches: (string,string) bool #matches | string.(string) bool #matches_string
getFullYear: timestamp.() int | timestamp.(string) int
getMonth: timestamp.() int | timestamp.(string) int
getDayOfYear: timestamp.() int | timestamp.(string) int
getDayOfMonth: timestamp.() int | timestamp.(string) int
getDate: timestamp.() int | timestamp.(string) int
getDayOfWeek: timestamp.() int | timestamp.(string) int
getHours: timestamp.() int | timestamp.(string) int | duration.() int
getMinutes: timestamp.() int | timestamp.(string) int | duration.() int
getSeconds: timestamp.() int | timestamp.(string) int | duration.() int
getMilliseconds: timestamp.() int | timestamp.(string) int | duration.() int
charAt: string.(int) string
includes: dyn.(dyn) bool #list_includes_dyn_dyn
@limitedIncludes: dyn.(dyn) bool #dra_includes_dyn_dyn
indexOf: string.(string) int #string_index_of_string | string.(string,int) int #string_index_of_string_int | list(A).(A) int #list_a_index_of_int
lastIndexOf: string.(string) int | string.(string,int) int | list(A).(A) int
lowerAscii: string.() string
upperAscii: string.() string
replace: string.(string,string) string | string.(string,string,int) string
split: string.(string) list(string) | string.(string,int) list(string)
substring: string.(int) string | string.(int,int) string
trim: string.() string
format: string.(list(dyn)) string #string_format
strings.quote: (string) string #strings_quote
join: list(string).() string | list(string).(string) string
sets.contains: (list(A),list(A)) bool #list_sets_contains_list
sets.equivalent: (list(A),list(A)) bool #list_sets_equivalent_list
sets.intersects: (list(A),list(A)) bool #list_sets_intersects_list
slice: list(A).(int,int) list(A) #list_slice
flatten: list(list(A)).() list(A) #list_flatten | list(dyn).(int) list(dyn) #list_flatten_int
sort: list(int).() list(int) | list(uint).() list(uint) | list(double).() list(double) | list(bool).() list(bool) | list(duration).() list(duration) | list(timestamp).() list(timestamp) | list(string).() list(string) | list(bytes).() list(bytes)
@sortByAssociatedKeys: list(A).(list(int)) list(A) | list(A).(list(uint)) list(A) | list(A).(list(double)) list(A) | list(A).(list(bool)) list(A) | list(A).(list(duration)) list(A) | list(A).(list(timestamp)) list(A) | list(A).(list(string)) list(A) | list(A).(list(bytes)) list(A)
lists.range: (int) list(int) #lists_range
reverse: list(A).() list(A) #list_reverse
distinct: list(A).() list(A) #list_distinct
cel.@mapInsert: (map(A,B),A,B) map(A,B) | (map(A,B),map(A,B)) map(A,B)
optional.of: (A) optional(A) #optional_of
optional.ofNonZeroValue: (A) optional(A)
optional.none: () optional(A) #optional_none
value: optional(A).() A
hasValue: optional(A).() bool
or: optional(A).(optional(A)) optional(A)
orValue: optional(A).(A) A
first: list(A).() optional(A)
last: list(A).() optional(A)
optional.unwrap: (list(optional(A))) list(A)
unwrapOpt: list(optional(A)).() list(A)
isSorted: list(int).() bool | list(double).() bool | list(bool).() bool | list(string).() bool | list(bytes).() bool | list(duration).() bool | list(timestamp).() bool | list(uint).() bool
sum: list(int).() int | list(uint).() uint | list(double).() double | list(duration).() duration
max: list(int).() int | list(uint).() uint | list(double).() double | list(bool).() bool | list(string).() string | list(bytes).() bytes | list(duration).() duration | list(timestamp).() timestamp
min: list(int).() int | list(uint).() uint | list(double).() double | list(bool).() bool | list(string).() string | list(bytes).() bytes | list(duration).() duration | list(timestamp).() timestamp
find: string.(string) string
findAll: string.(string) list(string) | string.(string,int) list(string)
url: (string) URL
isURL: (string) bool
getScheme: URL.() string
getHost: URL.() string
getHostname: URL.() string
getPort: URL.() string
getEscapedPath: URL.() string
getQuery: URL.() map(string,list(string))
quantity: (string) Quantity
isQuantity: (string) bool
sign: (Quantity) int
asApproximateFloat: Quantity.() double
asInteger: Quantity.() int
isInteger: Quantity.() bool
add: Quantity.(Quantity) Quantity | Quantity.(int) Quantity
sub: Quantity.(Quantity) Quantity | Quantity.(int) Quantity
isGreaterThan: Quantity.(Quantity) bool | Semver.(Semver) bool
isLessThan: Quantity.(Quantity) bool | Semver.(Semver) bool
compareTo: Quantity.(Quantity) int | Semver.(Semver) int
ip: (string) IP #string_to_ip | CIDR.() IP #cidr_ip
isIP: (string) bool
family: IP.() int
ip.isCanonical: (string) bool
isUnspecified: IP.() bool
isLoopback: IP.() bool
isLinkLocalMulticast: IP.() bool
isLinkLocalUnicast: IP.() bool
isGlobalUnicast: IP.() bool
cidr: (string) CIDR
isCIDR: (string) bool
containsIP: CIDR.(string) bool #cidr_contains_ip_string | CIDR.(IP) bool #cidr_contains_ip_ip
containsCIDR: CIDR.(string) bool #cidr_contains_cidr_string | CIDR.(CIDR) bool #cidr_contains_cidr
prefixLength: CIDR.() int
masked: CIDR.() CIDR
validate: Format.(string) optional(list(string))
format.named: (string) optional(Format)
semver: (string) Semver | (string,bool) Semver
isSemver: (string) bool | (string,bool) bool
major: Semver.() int
minor: Semver.() int
patch: Semver.() int
path: Authorizer.(string) PathCheck
group: Authorizer.(string) GroupCheck
serviceAccount: Authorizer.(string,string) Authorizer
resource: GroupCheck.(string) ResourceCheck
subresource: ResourceCheck.(string) ResourceCheck
namespace: ResourceCheck.(string) ResourceCheck
name: ResourceCheck.(string) ResourceCheck
fieldSelector: ResourceCheck.(string) ResourceCheck
labelSelector: ResourceCheck.(string) ResourceCheck
check: PathCheck.(string) Decision | ResourceCheck.(string) Decision
errored: Decision.() bool
error: Decision.() string
allowed: Decision.() bool
reason: Decision.() string
jsonpatch.escapeKey: (string) string
`

const formatNames = 'dns1123Label dns1123Subdomain dns1035Label qualifiedName dns1123LabelPrefix dns1123SubdomainPrefix dns1035LabelPrefix labelValue uri uuid byte date datetime' // biome-ignore format: one line

const ordered = ['int', 'uint', 'double', 'bool', 'string', 'bytes', 'timestamp', 'duration']
const numeric = ['int', 'uint', 'double']

const opaque = lookupTable<string>({
  IP: 'net.IP',
  CIDR: 'net.CIDR',
  URL: 'kubernetes.URL',
  Quantity: 'kubernetes.Quantity',
  Semver: 'kubernetes.Semver',
  Format: 'kubernetes.NamedFormat',
  Authorizer: 'kubernetes.authorization.Authorizer',
  PathCheck: 'kubernetes.authorization.PathCheck',
  GroupCheck: 'kubernetes.authorization.GroupCheck',
  ResourceCheck: 'kubernetes.authorization.ResourceCheck',
  Decision: 'kubernetes.authorization.Decision',
})

export const opaqueType = (name: string): CelType => ({ kind: 'opaque', name: opaque[name] ?? name })

/**
 * Numbers of different types can be compared, but the checker treats them as not equal
 * (cel.CrossTypeNumericComparisons).
 */
function comparison(operator: string, id: string): string {
  const same = ordered.map((type) => `(${type},${type}) bool #${id}_${type}`)
  const mixed = numeric.flatMap((a) => numeric.filter((b) => b !== a).map((b) => `(${a},${b}) bool`))
  return `${operator}: ${[...same, ...mixed].join(' | ')}`
}

function readTable(): ReadonlyMap<string, readonly Overload[]> {
  const lines = [
    ...table.trim().split('\n'),
    comparison('_<_', 'less'),
    comparison('_<=_', 'less_equals'),
    comparison('_>_', 'greater'),
    comparison('_>=_', 'greater_equals'),
    ...formatNames.split(' ').map((name) => `format.${name}: () Format`),
  ]
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2).split(' | ').map(readOverload)] // biome-ignore format: one line
    }),
  )
}

function readOverload(text: string): Overload {
  const [signature = '', result = 'dyn', id = ''] = text.split(' ')
  const open = signature.indexOf('.(') >= 0 ? signature.indexOf('.(') + 1 : signature.indexOf('(')
  const isMember = signature[open - 1] === '.'
  const args = splitTypes(signature.slice(open + 1, -1))
  const parameters = new Set<string>()
  const params = [...(isMember ? [signature.slice(0, open - 1)] : []), ...args].map((one) => readType(one, parameters))
  return { id: id.slice(1), isMember, params, result: readType(result, parameters), parameters }
}

function splitTypes(text: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let begin = 0
  for (let i = 0; i <= text.length; i++) {
    const char = text[i]
    if (char === '(') depth++
    else if (char === ')') depth--
    else if ((char === ',' && depth === 0) || (char === undefined && i > begin)) {
      parts.push(text.slice(begin, i))
      begin = i + 1
    }
  }
  return parts
}

function readType(text: string, parameters: Set<string>): CelType {
  const open = text.indexOf('(')
  if (open < 0) {
    if (text === 'A' || text === 'B') {
      parameters.add(text)
      return { kind: 'parameter', name: text }
    }
    return Object.hasOwn(opaque, text) ? opaqueType(text) : simple(text as SimpleName)
  }
  const inner = splitTypes(text.slice(open + 1, -1)).map((one) => readType(one, parameters))
  const [first, second] = inner as [CelType, CelType]
  switch (text.slice(0, open)) {
    case 'list':
      return listOf(first)
    case 'map':
      return mapOf(first, second)
    case 'optional':
      return optionalOf(first)
    default:
      return { kind: 'type', of: first }
  }
}

let read: ReadonlyMap<string, readonly Overload[]> | undefined

export function overloadsOf(name: string): readonly Overload[] | undefined {
  read ??= readTable()
  return read.get(name)
}

/** Names of types: `type(x) == int`. */
export const typeNames: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ...(['bool', 'bytes', 'double', 'int', 'string', 'uint'] as const).map((name): [string, CelType] => [
    name,
    simple(name),
  ]),
  ['list', listOf({ kind: 'simple', name: 'dyn' })],
  ['map', mapOf(simple('dyn'), simple('dyn'))],
  ['null_type', simple('null')],
  ['type', { kind: 'type', of: undefined }],
  ['google.protobuf.Timestamp', simple('timestamp')],
  ['google.protobuf.Duration', simple('duration')],
  ['optional_type', optionalOf(simple('dyn'))],
  ...Object.values(opaque).map((name): [string, CelType] => [name, { kind: 'opaque', name }]),
])
