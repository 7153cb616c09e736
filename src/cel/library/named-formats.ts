import { labelKeyProblems, labelValueProblems } from '../../api/label-syntax.ts'
import { asWholeName, label1035Problems, labelNameProblems, subdomainProblems } from '../../api/name-problems.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { isDay, readTime } from './conversions.ts'
import { readUrl } from './urls.ts'

type FormatCheck = (value: string) => readonly string[]

const matching =
  (holds: (value: string) => boolean, why: string): FormatCheck =>
  (value) =>
    holds(value) ? [] : [why]

/** Formats by their names in `format.named` (v1.36, apiserver/pkg/cel/library, ConstantFormats). */
const checks = lookupTable<FormatCheck>({
  dns1123Label: labelNameProblems,
  dns1123Subdomain: subdomainProblems,
  dns1035Label: label1035Problems,
  qualifiedName: labelKeyProblems,
  dns1123LabelPrefix: (value) => labelNameProblems(asWholeName(value)),
  dns1123SubdomainPrefix: (value) => subdomainProblems(asWholeName(value)),
  dns1035LabelPrefix: (value) => label1035Problems(asWholeName(value)),
  labelValue: labelValueProblems,
  uri: (value) => {
    const read = readUrl(value)
    return read.ok ? [] : [read.why]
  },
  uuid: matching((value) => uuidPattern.test(value), 'does not match the UUID format'),
  byte: matching((value) => base64Pattern.test(value), 'invalid base64'),
  date: matching((value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && isDay(value), 'invalid date'),
  datetime: matching((value) => readTime(value) !== undefined, 'invalid datetime'),
})

export const uuidPattern = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
export const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/

export const knownFormats: ReadonlySet<string> = new Set(Object.keys(checks))

/** The errors of a value; undefined for an unknown format. */
export function formatProblems(name: string, value: string): readonly string[] | undefined {
  return Object.hasOwn(checks, name) ? checks[name]?.(value) : undefined
}
