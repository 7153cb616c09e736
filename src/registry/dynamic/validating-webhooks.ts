import type { Failure } from '../../api/call.ts'
import type { WriteAttempt } from '../attempt.ts'
import type { AdmissionRequest, Match } from './admission-request.ts'
import { denial, readResponse } from './webhook-response.ts'
import {
  callFailure,
  type Hook,
  hooksOf,
  matchHook,
  questionFor,
  validatingConfigurations,
  type WebhookSurroundings,
} from './webhooks.ts'

interface WebhookCall {
  readonly hook: Hook
  readonly match: Match
}

/** Asks all validating webhooks at once. The response is the first refusal in their order. */
export function validateByWebhooks(
  request: AdmissionRequest,
  attempt: WriteAttempt,
  surroundings: WebhookSurroundings,
): Failure | undefined {
  const asked: WebhookCall[] = []
  for (const hook of hooksOf(surroundings.store, validatingConfigurations)) {
    const match = matchHook(hook, request, surroundings)
    if (match === undefined) continue
    if ('ok' in match) return match
    asked.push({ hook, match })
  }
  if (asked.length === 0) return undefined
  const questions = asked.map(({ hook, match }) => questionFor(hook, 'validate', request, match, surroundings.services))
  const asks = questions.flatMap((question) => ('ask' in question ? [question.ask] : []))
  const answers = attempt.ask(asks)
  let next = 0
  let refusal: Failure | undefined
  asked.forEach(({ hook }, index) => {
    const question = questions[index]
    if (question === undefined) return
    let refused: Failure | undefined
    if ('refused' in question) refused = question.refused
    else if ('failed' in question) refused = failedOpen(attempt, hook, index, question.failed)
    else {
      const version = String(question.ask.review['apiVersion']).slice('admission.k8s.io/'.length)
      const response = readResponse(answers[next++] ?? unanswered, version, 'validate', request.target.release)
      if ('failed' in response) refused = failedOpen(attempt, hook, index, response.failed)
      else {
        for (const [key, value] of Object.entries(response.auditAnnotations)) attempt.note(`${hook.name}/${key}`, value)
        for (const warning of response.warnings) attempt.warn(warning)
        if (!response.allowed) refused = denial(hook, response.result)
      }
    }
    refusal ??= refused
  })
  return refusal
}

const unanswered = { uid: '', answer: { kind: 'failed', message: 'no answer' } } as const

function failedOpen(attempt: WriteAttempt, hook: Hook, index: number, why: string): Failure | undefined {
  const refusal = callFailure(hook, why)
  if (refusal === undefined) {
    attempt.note(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`, hook.name)
  }
  return refusal
}
