# Where base/planted.hh is asked for a bug. Only these files see the definition: all others are the same in that build as in any
# other, and the compiler cache has them.
if(DOWNTICK_PLANTED_BUGS)
  set(files
    base/planted.cc
    compaction/core/retention.cc
    ingest/core/syslog_framing.cc
    service/core/signature.cc
    shard/core/edit_merge.cc
    shard/core/wal_reader.cc
    shard/core/wal_record.cc
    shard/wal.cc
    shard/wal_files.cc
    shard/wal_group.cc
    tables/engine.cc)
  list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/)
  set_source_files_properties(${files} TARGET_DIRECTORY base compaction_core ingest_core service_core shard_core shard tables
    PROPERTIES COMPILE_DEFINITIONS DOWNTICK_PLANTED_BUGS)
endif()
