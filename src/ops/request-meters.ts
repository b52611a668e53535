import {
  createHistogram,
  type Histogram,
  observe,
  secondsBounds,
} from '../domain/values/histogram.ts';

/** Responses with the same labels. */
export interface RequestSeries {
  readonly operation: string;
  readonly httpStatus: number;
  readonly seconds: Histogram;
}

/** Counts responses of documents, health checks and unknown paths. */
const otherOperation = 'other';

/**
 * Counts responses in plain numbers, because every request pays for it. The labels are operations, statuses and error codes, so
 * the number of counts is limited.
 */
export function createRequestMeters(errorCodes: readonly string[]) {
  const series: RequestSeries[] = [];
  const refusals: Record<string, number> = {};
  for (const code of errorCodes) refusals[code] = 0;

  return {
    series: series as readonly RequestSeries[],
    /** The number of responses with each error code. */
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
