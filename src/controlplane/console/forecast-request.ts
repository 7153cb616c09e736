import { done, failed, type Result } from '../../base/result.ts'
import type { ForecastRequest, QuestionStep } from '../../wire/console-questions.ts'

const maxSteps = 20
const maxArgs = 10_000
const maxOptions = 50
const maxSeconds = 24 * 3600
const maxFlagsLength = 100_000

/** Validates the body of a browser's request. The caller checks whether the questions exist. */
export function readForecastRequest(value: unknown): Result<ForecastRequest> {
  if (!isObject(value)) return failed('must be an object with steps and seconds')
  const { steps, seconds, release, flags } = value
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > maxSteps)
    return failed(`steps: must be a list of 1 to ${maxSteps} questions`)
  if (typeof seconds !== 'number' || !(seconds >= 1 && seconds <= maxSeconds))
    return failed(`seconds: must be a number from 1 to ${maxSeconds}`)
  if (release !== undefined && (typeof release !== 'string' || release.length > 50))
    return failed('release: must be a version, for example 1.36')
  if (flags !== undefined && (typeof flags !== 'string' || flags.length > maxFlagsLength))
    return failed('flags: must be YAML with flags of the components')
  const read: QuestionStep[] = []
  for (const [at, step] of steps.entries()) {
    const found = readStep(step)
    if (!found.ok) return failed(`steps[${at}]: ${found.message}`)
    read.push(found.value)
  }
  return done({
    steps: read,
    seconds,
    ...(release === undefined || release === '' ? {} : { release }),
    ...(flags === undefined || flags.trim() === '' ? {} : { flags }),
  })
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= maxArgs && value.every((item) => typeof item === 'string')

function readStep(value: unknown): Result<QuestionStep> {
  if (!isObject(value)) return failed('must be an object with question, args and options')
  const { question, args = [], options = {}, after } = value
  if (typeof question !== 'string') return failed('question: must be a name')
  if (!isTextList(args)) return failed(`args: must be a list of at most ${maxArgs} texts`)
  if (!isObject(options) || Object.keys(options).length > maxOptions) return failed('options: must be an object')
  for (const [key, option] of Object.entries(options))
    if (typeof option !== 'string' && typeof option !== 'boolean' && !isTextList(option))
      return failed(`options.${key}: must be a text, a list of texts, or true or false`)
  if (after !== undefined && (typeof after !== 'number' || !(after >= 0 && after <= maxSeconds)))
    return failed(`after: must be a number from 0 to ${maxSeconds}`)
  return done({
    question,
    args,
    options: options as QuestionStep['options'],
    ...(after === undefined || after === 0 ? {} : { after }),
  })
}
