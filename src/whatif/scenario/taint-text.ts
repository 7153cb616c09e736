import type { Taint } from '../../api/objects/node.ts'
import type { TaintEffect } from '../../api/objects/pod.ts'
import { done, failed, type Result } from '../../base/result.ts'
import type { TaintPattern } from './step.ts'

const effects: readonly TaintEffect[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']
const keyPattern = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const valuePattern = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/

const form = 'expected KEY=VALUE:EFFECT or KEY:EFFECT with the effect NoSchedule, PreferNoSchedule or NoExecute'

const invalid = (text: string, why: string) => failed(`invalid taint ${JSON.stringify(text)}: ${why}; ${form}`)

/** `key=value:NoExecute` or `key:NoSchedule`, as in kubectl taint. */
export function parseTaint(text: string): Result<Taint> {
  const pattern = parseTaintPattern(text)
  if (!pattern.ok) return pattern
  const { key, value, effect } = pattern.value
  if (effect === undefined) return invalid(text, 'no effect')
  return done({ key, ...(value === undefined ? {} : { value }), effect })
}

/** As a taint, but value and effect are optional, and a trailing `-`, as in kubectl taint, is allowed. */
export function parseTaintPattern(text: string): Result<TaintPattern> {
  const written = text.endsWith('-') ? text.slice(0, -1) : text
  const colon = written.lastIndexOf(':')
  const effect = colon < 0 ? undefined : written.slice(colon + 1)
  const body = colon < 0 ? written : written.slice(0, colon)
  const equals = body.indexOf('=')
  const key = equals < 0 ? body : body.slice(0, equals)
  const value = equals < 0 ? undefined : body.slice(equals + 1)
  if (!keyPattern.test(key)) return invalid(text, 'invalid key')
  if (value !== undefined && !valuePattern.test(value)) return invalid(text, 'invalid value')
  if (effect !== undefined && !effects.includes(effect as TaintEffect)) return invalid(text, 'invalid effect')
  return done({
    key,
    ...(value === undefined || value === '' ? {} : { value }),
    ...(effect === undefined ? {} : { effect: effect as TaintEffect }),
  })
}
