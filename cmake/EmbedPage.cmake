# cutis_embed_page(VARIABLE): bundles web/src into one HTML template and wraps it as a C++ source; its path goes into VARIABLE.
function(cutis_embed_page variable)
    find_program(CUTIS_NODE NAMES node nodejs DOC "Node.js, which bundles the page")
    if(NOT CUTIS_NODE)
        message(FATAL_ERROR "Node.js is missing, which bundles the page. Run `make setup`, or configure with -DCUTIS_BUILD_PAGE=OFF")
    endif()
    set(web ${PROJECT_SOURCE_DIR}/web)
    foreach(package esbuild three)
        if(NOT EXISTS ${web}/node_modules/${package}/package.json)
            message(FATAL_ERROR "The npm package '${package}' of web/package-lock.json is missing, which the page needs. "
                                "Run `make setup`, or configure with -DCUTIS_BUILD_PAGE=OFF")
        endif()
    endforeach()
    file(GLOB page_files CONFIGURE_DEPENDS ${web}/src/*)
    set(html ${PROJECT_BINARY_DIR}/page/page.html)
    set(source ${PROJECT_BINARY_DIR}/page/page_template.cpp)
    add_custom_command(OUTPUT ${source} ${html}
                       COMMAND ${CUTIS_NODE} ${web}/build.mjs ${html} ${source}
                       DEPENDS ${page_files} ${web}/build.mjs ${web}/package-lock.json
                       COMMENT "Bundling the page" VERBATIM)
    set(${variable} ${source} PARENT_SCOPE)
endfunction()

# The same for the live page, which `cutis live` serves.
function(cutis_embed_live_page variable)
    set(web ${PROJECT_SOURCE_DIR}/web)
    file(GLOB page_files CONFIGURE_DEPENDS ${web}/src/* ${web}/src/live/*)
    set(html ${PROJECT_BINARY_DIR}/page/live.html)
    set(source ${PROJECT_BINARY_DIR}/page/live_page.cpp)
    add_custom_command(OUTPUT ${source} ${html}
                       COMMAND ${CUTIS_NODE} ${web}/build-live.mjs ${html} ${source}
                       DEPENDS ${page_files} ${web}/build-live.mjs ${web}/package-lock.json
                       COMMENT "Bundling the live page" VERBATIM)
    set(${variable} ${source} PARENT_SCOPE)
endfunction()
