import type { AffinityTerm, PodShape } from '../../contract/parsed-pod.ts'

/**
 * The inter-pod terms of placed pods, so that one can ask which of them mean a pod without looking at the pods. Terms
 * stay when their pods go: they often come back.
 */
export class TermRegistry {
  /** Terms of required anti-affinity, which keep other pods away. */
  readonly repelling = new Set<AffinityTerm>()
  /** Terms that raise or lower scores: required affinity and everything preferred. */
  readonly weighing = new Set<AffinityTerm>()
  private readonly shapes = new WeakSet<PodShape>()

  /** Grows when a term appears that was not there before. */
  get version(): number {
    return this.repelling.size + this.weighing.size
  }

  add(shape: PodShape): void {
    if (!shape.hasAffinity || this.shapes.has(shape)) return
    this.shapes.add(shape)
    for (const term of shape.requiredAntiAffinity) this.repelling.add(term)
    for (const term of shape.requiredAffinity) this.weighing.add(term)
    for (const { term } of shape.preferredAffinity) this.weighing.add(term)
    for (const { term } of shape.preferredAntiAffinity) this.weighing.add(term)
  }
}
