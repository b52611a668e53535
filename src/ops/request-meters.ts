import {
  createHistogram,
  type Histogram,
  observe,
  secondsBounds,
} from '../domain/values/histogram.ts';

/**
 * Counts responses in plain numbers, because every request pays for it. The labels are operations, statuses and error codes, so
 * the number of counts is limited.
 */
export function createRequestMeters(errorCodes: readonly string[]) {
  const series: { operation: string; httpStatus: number; seconds: Histogram }[] = [];
  const refusals = Object.fromEntries(errorCodes.map((code) => [code, 0]));

  return {
    /** Responses with the same labels. */
    series,
    /** The number of responses with each error code. */
    refusals,
    /** Counts responses of an operation, or of documents, health checks and unknown paths. */
    meterOf(operation = 'other') {
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
