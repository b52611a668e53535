import {
  createHistogram,
  type Histogram,
  observe,
  secondsBounds,
} from '../domain/values/histogram.ts';

/** Answers that share their labels. */
export interface RequestSeries {
  readonly operation: string;
  readonly httpStatus: number;
  readonly seconds: Histogram;
}

/** Where all answers are counted that belong to no operation: documents, health, and what does not exist. */
const otherOperation = 'other';

/**
 * Counts answers in plain numbers, so that a request only adds to them. The labels are operations, statuses and error codes, which bounds how many
 * counts exist.
 */
export function createRequestMeters(errorCodes: readonly string[]) {
  const series: RequestSeries[] = [];
  const refusals: Record<string, number> = {};
  for (const code of errorCodes) refusals[code] = 0;

  return {
    series: series as readonly RequestSeries[],
    /** How often each error code was answered. */
    refusals: refusals as Readonly<Record<string, number>>,
    meterOf(operation = otherOperation) {
      const byStatus = new Map<number, Histogram>();
      return (httpStatus: number, refusal: string | undefined, seconds: number): void => {
        let histogram = byStatus.get(httpStatus);
        if (histogram === undefined) {
          histogram = createHistogram(secondsBounds);
          byStatus.set(httpStatus, histogram);
          series.push({ operation, httpStatus, seconds: histogram });
        }
        observe(histogram, seconds);
        if (refusal !== undefined) refusals[refusal] = (refusals[refusal] ?? 0) + 1;
      };
    },
  };
}

export type RequestMeters = ReturnType<typeof createRequestMeters>;
